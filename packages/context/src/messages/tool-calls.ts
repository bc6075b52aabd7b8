import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import { soundMessage } from "./sound/sound-message.js";
import type { Block } from "./text.js";

/** A tool call of an AI message. `args` is always an object; arguments that do not parse are in `args.arguments`. */
export interface CallInfo {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * Returns the tool calls of a message, including invalid calls, which need a result too, and calls that appear only in
 * a content block of the provider.
 */
export function toolCalls(message: BaseMessage): readonly CallInfo[] {
  return isAi(message) ? soundCalls(soundMessage(message)) : none;
}

/** Returns {@link toolCalls} of a message in its sound form. */
export function soundCalls(form: BaseMessage): readonly CallInfo[] {
  if (!isAi(form)) return none;
  const { tool_calls: valid = [], invalid_tool_calls: invalid = [] } = form;
  const blocks = callBlocks(form).filter(
    // A Gemini part has no id of its own: it is a copy of one of the calls.
    ({ type }) => type !== "functionCall" || valid.length + invalid.length === 0,
  );
  // Hot path: nearly every message returns here, without an allocation.
  if (invalid.length === 0 && blocks.length === 0) return valid as readonly CallInfo[];
  const calls: CallInfo[] = [
    ...valid.map((call) => ({ id: call.id, name: call.name, args: call.args })),
    ...invalid.map((call) => ({
      id: call.id,
      name: call.name ?? "unknown",
      args: { arguments: call.args ?? "" },
    })),
  ];
  const known = new Set(calls.map((call) => call.id));
  return [...calls, ...blocks.map(callOfBlock).filter((call) => !known.has(call.id))];
}

const none: readonly never[] = [];

function callBlocks({ content }: BaseMessage): readonly Block[] {
  if (!Array.isArray(content)) return none;
  const blocks = content as readonly unknown[];
  return blocks.some(isCall) ? blocks.filter(isCall) : none;
}

function isCall(block: unknown): block is Block {
  return typeof block === "object" && block !== null && isCallBlock(block as Block);
}

/** True for a content block with a tool call that the host executes. */
export function isCallBlock(block: Block): boolean {
  const { type } = block;
  return type === "tool_use" || type === "tool_call" || type === "function_call" || type === "functionCall";
}

function callOfBlock({ functionCall: part, ...rest }: Block): CallInfo {
  const block = typeof part === "object" && part !== null ? (part as Block) : rest;
  const id = block["call_id"] ?? block["id"];
  const args = block["input"] ?? block["args"] ?? block["arguments"];
  return {
    id: typeof id === "string" ? id : undefined,
    name: typeof block["name"] === "string" ? block["name"] : "unknown",
    args: typeof args === "object" && args !== null ? (args as Record<string, unknown>) : { arguments: args },
  };
}

/** Narrows a message to a tool result. */
export function isToolResult(message: BaseMessage): message is ToolMessage {
  return message.getType() === "tool";
}

/** Narrows a message to an AI message. */
export function isAi(message: BaseMessage): message is AIMessage {
  return message.getType() === "ai";
}

const pathKeys = ["path", "file_path", "filePath", "file", "filename", "notebook_path"] as const;

/** Returns the file path in the arguments of a call, or undefined. */
export function filePathOf({ args }: CallInfo): string | undefined {
  const values = pathKeys.map((key) => args[key]);
  return values.find((value): value is string => typeof value === "string" && value !== "");
}

/** True for a call that changes a file, judged by the words of the tool's name. */
export function isFileWrite({ name }: CallInfo): boolean {
  return words(name).some((word) => writeWords.has(word));
}

/** True for a call that replaces the whole file: it creates, writes or deletes it. */
export function replacesFile(call: CallInfo): boolean {
  if (!isFileWrite(call)) return false;
  const whole = wholeKeys.some((key) => call.args[key] !== undefined);
  return whole || words(call.name).some((word) => wholeWords.has(word));
}

/** True for a call that reads a file, judged by the words of the tool's name. */
export function isFileRead(call: CallInfo): boolean {
  return !isFileWrite(call) && words(call.name).some((word) => readWords.has(word));
}

const writeWords = new Set([
  "write",
  "edit",
  "create",
  "replace",
  "patch",
  "append",
  "insert",
  "delete",
  "update",
]);
/** Arguments that hold the new text of the whole file. */
const wholeKeys = ["content", "file_text"] as const;
const wholeWords = new Set(["write", "create", "delete"]);
const readWords = new Set(["read", "view", "cat", "open", "show"]);

function words(name: string): string[] {
  return name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
}
