import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "../copy-message.js";
import { contentBlocks, type Block } from "../text.js";
import { isAi, toolCalls } from "../tool-calls.js";

/** How a provider represents reasoning in a LangChain message, and the rules for it. */
interface ReasoningForm {
  readonly provider: string;
  /** Types of content blocks and output items that hold reasoning. */
  readonly blocks: readonly string[];
  /** Fields of `additional_kwargs` that hold reasoning. */
  readonly kwargs: readonly string[];
  /** True when a block is valid only after the exact prefix that it was generated from. */
  readonly isBound: boolean;
  /** Models of the provider that do not bind reasoning. */
  readonly unbound?: RegExp;
  /** Values of `model_provider` in the response metadata, for a provider whose blocks look like those of another. */
  readonly names?: RegExp;
}

/**
 * Rules of providers. After a changed prefix, Anthropic (also through Bedrock) refuses a bound block and OpenAI drops it. Gemini signs single
 * parts, text or call, and requires the signature of a call back with its part: its reasoning leaves only with its message.
 * Servers that answer with a field `reasoning_content` neither sign nor bind, and clients do not send it back.
 */
const forms: readonly ReasoningForm[] = [
  {
    provider: "anthropic",
    blocks: ["thinking", "redacted_thinking"],
    kwargs: [],
    isBound: true,
    unbound: /claude-(3|(opus|sonnet|haiku)-4)/,
  },
  // Converse names no model in its replies.
  { provider: "bedrock", blocks: ["reasoning_content"], kwargs: [], isBound: true },
  { provider: "openai", blocks: ["reasoning"], kwargs: ["reasoning"], isBound: true },
  { provider: "google", blocks: ["reasoning"], kwargs: [], isBound: false, names: /^google/ },
  { provider: "openai-compatible", blocks: [], kwargs: ["reasoning_content"], isBound: false },
];

const unboundNames = forms.flatMap(({ isBound, names }) => (isBound || names === undefined ? [] : names));
const bound = forms.filter(({ isBound }) => isBound);
const blockTypes: ReadonlySet<unknown> = new Set(forms.flatMap(({ blocks }) => blocks));
const boundTypes: ReadonlySet<unknown> = new Set(bound.flatMap(({ blocks }) => blocks));
const boundKwargs = bound.flatMap(({ kwargs }) => kwargs);

/** True for a content block or output item that holds reasoning, readable or encrypted; Gemini marks a text as `thought`. */
export function isReasoningBlock({ type, thought }: Block): boolean {
  return blockTypes.has(type) || thought === true;
}

/** True for a message with a block in its content that some provider binds. Hot path: reads only block types. */
export function hasReasoningContent({ content }: BaseMessage): boolean {
  return (
    Array.isArray(content) && (content as readonly Block[]).some((block) => isBlockIn(boundTypes, block))
  );
}

/**
 * True for a message with reasoning of a provider whose current models bind it to its prefix, for any model. Checks
 * content, `additional_kwargs` and the raw output in `response_metadata`.
 */
export function hasReasoning(message: BaseMessage): boolean {
  return (
    isAi(message) &&
    (hasReasoningContent(message) ||
      boundKwargs.some((key) => message.additional_kwargs?.[key] !== undefined) ||
      outputOf(message).some((item) => isBlockIn(boundTypes, item))) &&
    !isOfUnboundProvider(message)
  );
}

function isOfUnboundProvider({ response_metadata: metadata }: BaseMessage): boolean {
  const name: unknown = metadata?.["model_provider"];
  return typeof name === "string" && unboundNames.some((names) => names.test(name));
}

/**
 * True for a message whose reasoning is valid only after the prefix that it was generated from. An unknown model counts
 * as one that binds.
 */
export function hasBoundReasoning(message: BaseMessage): boolean {
  if (!hasReasoning(message)) return false;
  const model = modelOf(message);
  return !bound.some(({ unbound }) => unbound?.test(model) === true);
}

/**
 * Returns a copy of a message without its reasoning in any field, or the same message when it has none.
 *
 * Removes the ids of stored response items too, because the server refuses a call whose reasoning item is missing.
 * A message that held only reasoning gets a placeholder text, because providers refuse empty messages. Pure.
 */
export function withoutReasoning(message: BaseMessage): BaseMessage {
  if (!hasReasoning(message)) return message;
  return copyMessage(message, {
    ...contentWithout(message),
    ...kwargsWithout(message),
    ...outputWithout(message),
  });
}

const noAnswer = "(no answer)";

function contentWithout(message: BaseMessage): { readonly content?: unknown } {
  if (!hasReasoningContent(message)) return isSilent(message) ? { content: noAnswer } : {};
  const content = contentBlocks(message).filter((block) => !boundTypes.has(block["type"]));
  if (content.length > 0) return { content };
  return { content: toolCalls(message).length > 0 ? "" : noAnswer };
}

function isSilent(message: BaseMessage): boolean {
  return message.content.length === 0 && toolCalls(message).length === 0;
}

const itemIds = "__openai_function_call_ids__";

function kwargsWithout({ additional_kwargs: kwargs }: BaseMessage) {
  if (![...boundKwargs, itemIds].some((key) => key in kwargs)) return {};
  const rest = Object.entries(kwargs).filter(([key]) => key !== itemIds && !boundKwargs.includes(key));
  return { additional_kwargs: Object.fromEntries(rest) };
}

function outputWithout(message: BaseMessage) {
  const output = outputOf(message);
  if (output.length === 0) return {};
  const rest = output.filter((item) => !isBlockIn(boundTypes, item)).map(withoutId);
  return { response_metadata: { ...message.response_metadata, output: rest } };
}

function withoutId(item: Block | null): Block | null {
  if (typeof item !== "object" || item === null) return item;
  return Object.fromEntries(Object.entries(item).filter(([key]) => key !== "id"));
}

function outputOf({ response_metadata: metadata }: BaseMessage): readonly Block[] {
  const output: unknown = metadata?.["output"];
  return Array.isArray(output) ? (output as readonly Block[]) : [];
}

function isBlockIn(types: ReadonlySet<unknown>, block: Block | null | undefined): boolean {
  return typeof block === "object" && block !== null && types.has(block["type"]);
}

/** Returns the name of the model that wrote a message, as its provider reported it, or "". */
export function modelOf(message: BaseMessage | undefined): string {
  if (message === undefined) return "";
  const { response_metadata: metadata, additional_kwargs: kwargs } = message;
  const names = [metadata?.["model_name"], metadata?.["model"], kwargs?.["model"]];
  return names.find((name): name is string => typeof name === "string") ?? "";
}
