import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";

export type Json = Readonly<Record<string, unknown>>;

/** True for a JSON object. */
export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value if it is a text, and undefined otherwise. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns the value if it is a number, and undefined otherwise. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Returns the items of a list, and nothing for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What is known of every message besides its content. */
export interface Origin {
  readonly id: string;
  readonly line: number;
  /** As the file states it. */
  readonly time?: unknown;
  readonly model?: string | undefined;
  /** Text of the agent's program in the role of the user. @default false */
  readonly isMeta?: boolean;
}

function metadataOf({ line, time, model, isMeta }: Origin): Record<string, unknown> {
  return {
    line,
    ...(typeof time === "string" || typeof time === "number" ? { timestamp: time } : {}),
    ...(model === undefined ? {} : { model_name: model }),
    ...(isMeta === true ? { isMeta: true } : {}),
  };
}

type Content = string | readonly Json[];

/** Returns a message of the user, or of the agent's program in its role. */
export function userMessage(content: Content, origin: Origin): HumanMessage {
  const fields = { id: origin.id, content, response_metadata: metadataOf(origin) };
  return new HumanMessage(fields as ConstructorParameters<typeof HumanMessage>[0] & object);
}

export function systemMessage(content: Content, origin: Origin): SystemMessage {
  const fields = { id: origin.id, content, response_metadata: metadataOf(origin) };
  return new SystemMessage(fields as ConstructorParameters<typeof SystemMessage>[0] & object);
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: Json;
}

/** Tokens of one call of a model, as its provider reported them. `input` is the whole prompt. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

export interface Answer {
  readonly content: Content;
  readonly calls?: readonly Call[];
  readonly usage?: Usage | undefined;
  /** Reasoning as plain text, which no provider has signed. */
  readonly reasoning?: string | undefined;
}

export function assistantMessage(
  { content, calls = [], usage, reasoning }: Answer,
  origin: Origin,
): AIMessage {
  const fields = {
    id: origin.id,
    content,
    tool_calls: calls.map((call) => ({ ...call, type: "tool_call" as const })),
    response_metadata: metadataOf(origin),
    ...(usage === undefined ? {} : { usage_metadata: usageMetadata(usage) }),
    ...(reasoning === undefined ? {} : { additional_kwargs: { reasoning_content: reasoning } }),
  };
  return new AIMessage(fields as unknown as ConstructorParameters<typeof AIMessage>[0] & object);
}

function usageMetadata({ input, output, cacheRead, cacheWrite }: Usage): object {
  const details = {
    ...(cacheRead === undefined ? {} : { cache_read: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cache_creation: cacheWrite }),
  };
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    ...(Object.keys(details).length === 0 ? {} : { input_token_details: details }),
  };
}

export interface Result {
  readonly content: Content;
  readonly call: string;
  readonly name?: string | undefined;
  readonly isError?: boolean;
}

export function resultMessage({ content, call, name, isError }: Result, origin: Origin): ToolMessage {
  const fields = {
    id: origin.id,
    content,
    tool_call_id: call,
    status: isError === true ? ("error" as const) : ("success" as const),
    response_metadata: metadataOf(origin),
    ...(name === undefined ? {} : { name }),
  };
  return new ToolMessage(fields as ConstructorParameters<typeof ToolMessage>[0] & object);
}

/** Returns the arguments of a call: an object, or its JSON text; anything else under the name `input`. */
export function argumentsOf(value: unknown): Json {
  if (isJson(value)) return value;
  if (typeof value !== "string") return value === undefined ? {} : { input: value };
  try {
    const parsed: unknown = JSON.parse(value);
    return isJson(parsed) ? parsed : { input: value };
  } catch {
    return { input: value };
  }
}

/** Returns the message with other content and calls, under the same id. */
export function joined(earlier: AIMessage | undefined, next: AIMessage): AIMessage {
  if (earlier === undefined) return next;
  return new AIMessage({
    ...next.lc_kwargs,
    content: [...blocksOf(earlier), ...blocksOf(next)],
    tool_calls: [...(earlier.tool_calls ?? []), ...(next.tool_calls ?? [])],
    response_metadata: { ...next.response_metadata, line: earlier.response_metadata["line"] },
    usage_metadata: next.usage_metadata ?? earlier.usage_metadata,
  } as ConstructorParameters<typeof AIMessage>[0] & object);
}

function blocksOf({ content }: BaseMessage): readonly Json[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ type: "text", text: content }];
}
