import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
  type BaseMessage,
} from "@langchain/core/messages";
import { ContextError } from "../context-error.js";
import { copyMessage } from "./copy-message.js";
import { fromLosslessJson, toLosslessJson } from "./lossless-json.js";
import { originalMessage } from "./sound/original-message.js";

/** A message as plain JSON. `meta` is present only if `data` holds values that JSON cannot represent. */
export interface StoredMessage {
  /** Class name, such as `AIMessageChunk`. */
  readonly class: string;
  /** Message type, such as `ai`: selects the class when `class` is unknown. */
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly meta?: unknown;
}

/** The fields of all LangChain message classes. */
const fields = [
  "id",
  "name",
  "role",
  "content",
  "tool_calls",
  "invalid_tool_calls",
  "tool_call_chunks",
  "tool_call_id",
  "status",
  "artifact",
  "metadata",
  "additional_kwargs",
  "response_metadata",
  "usage_metadata",
] as const;

type MessageClass = new (fields: never) => BaseMessage;

const classes = new Map<string, MessageClass>([
  ["HumanMessage", HumanMessage],
  ["HumanMessageChunk", HumanMessageChunk],
  ["AIMessage", AIMessage],
  ["AIMessageChunk", AIMessageChunk],
  ["SystemMessage", SystemMessage],
  ["SystemMessageChunk", SystemMessageChunk],
  ["ToolMessage", ToolMessage],
  ["ToolMessageChunk", ToolMessageChunk],
  ["FunctionMessage", FunctionMessage],
  ["ChatMessage", ChatMessage],
  ["RemoveMessage", RemoveMessage],
]);

const byType: Readonly<Record<string, MessageClass>> = {
  human: HumanMessage,
  ai: AIMessage,
  system: SystemMessage,
  tool: ToolMessage,
  function: FunctionMessage,
  remove: RemoveMessage,
};

/**
 * Returns the lossless JSON form of a message: ids, names, calls, status, artifact, reasoning, images, usage.
 *
 * Pure. `meta` describes what JSON cannot represent (dates, maps, bigints, bytes, undefined inside artifacts). Of a sound form it
 * returns what came in.
 */
export function toStoredMessage(form: BaseMessage): StoredMessage {
  const own = originalMessage(form);
  // A host's reducer may keep plain objects: only the message that stands for one has a class.
  const message = typeof own?.getType === "function" ? own : form;
  const source = message as unknown as Record<string, unknown>;
  const present = fields.filter((field) => source[field] !== undefined);
  const { json, meta } = toLosslessJson(Object.fromEntries(present.map((f) => [f, source[f]])));
  const stored = {
    class: className(message),
    type: message.getType(),
    data: json as Record<string, unknown>,
  };
  return meta === undefined ? stored : { ...stored, meta };
}

/**
 * Restores a message from the result of {@link toStoredMessage}, field for field.
 *
 * A message of an unknown class becomes the LangChain class of the same message type.
 * @throws ContextError `corrupt` when the value is not a stored message.
 */
export function fromStoredMessage(stored: StoredMessage): BaseMessage {
  const Class = classes.get(stored.class) ?? byType[stored.type] ?? ChatMessage;
  if (typeof stored.data !== "object" || stored.data === null) {
    throw new ContextError("corrupt", `Not a stored message: ${JSON.stringify(stored).slice(0, 200)}`);
  }
  const data = fromLosslessJson({
    json: stored.data as never,
    ...(stored.meta === undefined ? {} : { meta: stored.meta as never }),
  }) as Record<string, unknown>;
  const blank = new Class({ content: "", role: stored.type, tool_call_id: "", id: "" } as never);
  const absent = fields.filter((field) => !(field in data) && field in blank);
  const message = copyMessage(blank, { ...Object.fromEntries(absent.map((f) => [f, undefined])), ...data });
  message.lc_kwargs = { ...data };
  // An unknown class with an unknown type becomes a ChatMessage: its role keeps the original type.
  const unknown = Class === ChatMessage && stored.class !== "ChatMessage";
  return unknown ? copyMessage(message, { role: stored.type }) : message;
}

function className(message: BaseMessage): string {
  const constructor = message.constructor as { lc_name?: () => string; name: string };
  return constructor.lc_name?.() ?? constructor.name;
}

/** Returns the record of messages: one stored message on each line, oldest first. {@link messagesOfRecord} reads it. Pure. */
export function recordText(messages: readonly BaseMessage[]): string {
  return messages.map((message) => `${JSON.stringify(toStoredMessage(message))}\n`).join("");
}

/**
 * Parses the messages of a record, oldest first. Pure.
 * @throws ContextError `corrupt` for a line that is not a stored message.
 */
export function messagesOfRecord(text: string, path: string): readonly BaseMessage[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => parseRecord(line, path));
}

function parseRecord(line: string, path: string): BaseMessage {
  try {
    return fromStoredMessage(JSON.parse(line) as StoredMessage);
  } catch (cause) {
    throw new ContextError(
      "corrupt",
      `${path} holds a line that is not a stored message: ${line.slice(0, 80)}`,
      {
        cause,
      },
    );
  }
}
