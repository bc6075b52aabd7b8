import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { Block } from "./text.js";

/** A call that an AI message makes. `args` is an object for every provider; a broken one is kept as text. */
export interface CallInfo {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * Returns the tool calls of a message. Invalid ones are included, because they need a result as well, and so are
 * those that only stand in a content block of the provider.
 */
export function toolCalls(message: BaseMessage): readonly CallInfo[] {
  if (message.getType() !== "ai") return [];
  const { tool_calls: valid = [], invalid_tool_calls: invalid = [] } = message as AIMessage;
  const blocks = callBlocks(message);
  // Nearly every message ends here: it is looked at in each step, so nothing is made for it.
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

const none: readonly Block[] = [];

function callBlocks({ content }: BaseMessage): readonly Block[] {
  if (!Array.isArray(content)) return none;
  const blocks = content as readonly unknown[];
  return blocks.some(isCall) ? blocks.filter(isCall) : none;
}

function isCall(block: unknown): block is Block {
  return typeof block === "object" && block !== null && isCallBlock(block as Block);
}

/** True for a content block that makes a call which the host has to answer. */
export function isCallBlock(block: Block): boolean {
  const { type } = block;
  return type === "tool_use" || type === "tool_call" || type === "function_call";
}

function callOfBlock(block: Block): CallInfo {
  const id = block["call_id"] ?? block["id"];
  const args = block["input"] ?? block["args"] ?? block["arguments"];
  return {
    id: typeof id === "string" ? id : undefined,
    name: String(block["name"]),
    args: typeof args === "object" && args !== null ? (args as Record<string, unknown>) : { arguments: args },
  };
}

/** Narrows a message to a tool result. */
export function isToolResult(message: BaseMessage): message is ToolMessage {
  return message.getType() === "tool";
}

/** Narrows a message to one of the model's. */
export function isAi(message: BaseMessage): message is AIMessage {
  return message.getType() === "ai";
}

const pathKeys = ["path", "file_path", "filePath", "file", "filename", "notebook_path"] as const;

/** Returns the file that a call names in its arguments, or undefined. */
export function filePathOf({ args }: CallInfo): string | undefined {
  const values = pathKeys.map((key) => args[key]);
  return values.find((value): value is string => typeof value === "string" && value !== "");
}

/** True for a call that changes the file it names, by the words of the tool's name. */
export function isFileWrite({ name }: CallInfo): boolean {
  return words(name).some((word) => writeWords.has(word));
}

/** True for a call that returns what a file holds, by the words of the tool's name. */
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
const readWords = new Set(["read", "view", "cat", "open", "show"]);

function words(name: string): string[] {
  return name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
}
