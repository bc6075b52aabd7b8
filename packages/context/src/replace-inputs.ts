import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { isCallBlock } from "./tool-calls.js";

/**
 * Returns the changed fields of a message in which every argument equal to a key of `pointers` is replaced by
 * its value, in each of the places where hosts and providers keep the arguments of a call.
 *
 * Pure. Arguments kept as JSON text are parsed and written again; text that is no JSON is compared whole.
 */
export function replaceInputs(
  message: BaseMessage,
  pointers: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  const { tool_calls: calls, invalid_tool_calls: invalid } = message as AIMessage;
  const { tool_call_chunks: chunks } = message as { tool_call_chunks?: unknown };
  const raw = message.additional_kwargs as Record<string, unknown>;
  const response = message.response_metadata as Record<string, unknown> | undefined;
  return {
    ...(calls === undefined ? {} : { tool_calls: replace(calls, pointers) }),
    ...(invalid === undefined ? {} : { invalid_tool_calls: replace(invalid, pointers) }),
    ...(chunks === undefined ? {} : { tool_call_chunks: replace(chunks, pointers) }),
    ...(typeof message.content === "string" ? {} : { content: replaceInBlocks(message.content, pointers) }),
    ...(raw?.["tool_calls"] === undefined && raw?.["function_call"] === undefined
      ? {}
      : { additional_kwargs: replaceKeys(raw, ["tool_calls", "function_call"], pointers) }),
    ...(response?.["output"] === undefined
      ? {}
      : { response_metadata: replaceKeys(response, ["output"], pointers) }),
  };
}

function replaceInBlocks(content: unknown, pointers: ReadonlyMap<string, string>): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((block: unknown) =>
    typeof block === "object" && block !== null && isCallBlock(block as Record<string, unknown>)
      ? replace(block, pointers)
      : block,
  );
}

function replaceKeys(
  record: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  pointers: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const changed = keys.filter((key) => key in record).map((key) => [key, replace(record[key], pointers)]);
  return { ...record, ...Object.fromEntries(changed) };
}

function replace(value: unknown, pointers: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return pointers.get(value) ?? replaceInJson(value, pointers);
  if (Array.isArray(value)) return value.map((item) => replace(item, pointers));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(item, pointers)]));
}

/** Arguments as JSON text, as OpenAI's raw calls and the chunks of a stream hold them. */
function replaceInJson(text: string, pointers: ReadonlyMap<string, string>): string {
  if (!/^\s*[{[]/.test(text)) return text;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return text;
  }
  const replaced = JSON.stringify(replace(parsed, pointers));
  return replaced === JSON.stringify(parsed) ? text : replaced;
}
