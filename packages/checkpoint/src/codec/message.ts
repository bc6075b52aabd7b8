import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
  ToolMessageChunk,
} from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";

type Fields = Record<string, unknown>;

interface KnownClass {
  readonly create: (fields: Fields) => BaseMessage;
  readonly fields: ReadonlySet<string>;
}

/** The stored form of a message, and its id, which is stored in the reference. */
export interface MessageParts {
  readonly bytes: Buffer;
  readonly id: string | undefined;
}

const commonFields = ["content", "name", "additional_kwargs", "response_metadata"];
const aiFields = ["tool_calls", "invalid_tool_calls", "usage_metadata"];
const toolFields = ["tool_call_id", "status", "artifact", "metadata"];

/** Classes whose constructors restore the same message as LangChain's slow loader, and the fields for which they do. */
const classes = new Map<string, KnownClass>([
  ["HumanMessage", known((fields) => new HumanMessage(fields), [])],
  ["HumanMessageChunk", known((fields) => new HumanMessageChunk(fields), [])],
  ["AIMessage", known((fields) => new AIMessage(fields), aiFields)],
  ["AIMessageChunk", known((fields) => new AIMessageChunk(fields), [...aiFields, "tool_call_chunks"])],
  ["SystemMessage", known((fields) => new SystemMessage(fields), [])],
  ["ToolMessage", known((fields) => new ToolMessage(fields as never), toolFields)],
  ["ToolMessageChunk", known((fields) => new ToolMessageChunk(fields as never), toolFields)],
  ["RemoveMessage", known((fields) => new RemoveMessage(fields as never), [])],
  ["FunctionMessage", known((fields) => new FunctionMessage(fields as never), [])],
  ["ChatMessage", known((fields) => new ChatMessage(fields as never), ["role"])],
]);

function known(create: (fields: Fields) => BaseMessage, more: readonly string[]): KnownClass {
  return { create, fields: new Set([...commonFields, ...more]) };
}

/** Returns true for a message of any copy of LangChain. Pure. */
export function isMessage(value: object): value is BaseMessage {
  return (
    "lc_serializable" in value &&
    "getType" in value &&
    typeof value.getType === "function" &&
    "content" in value &&
    "toJSON" in value
  );
}

/**
 * Returns the stored form of a message, or undefined when only LangGraph's serializer can restore it: other classes, custom
 * fields, values that JSON cannot represent. Pure.
 */
export function messageParts(message: BaseMessage): MessageParts | undefined {
  const json = message.toJSON();
  if (json.type !== "constructor" || json.id.slice(0, -1).join("/") !== "langchain_core/messages")
    return undefined;
  const name = json.id.at(-1) ?? "";
  const target = classes.get(name);
  if (!target) return undefined;
  const fields: Fields = {};
  for (const [key, value] of Object.entries(json.kwargs)) {
    if (value === undefined || key === "id" || (key === "type" && value === message.type)) continue;
    if (!target.fields.has(key) || !isPlain(value)) return undefined;
    fields[key] = value;
  }
  const id: unknown = message.id ?? json.kwargs["id"];
  if (id !== undefined && typeof id !== "string") return undefined;
  return { bytes: bytesOf(name, fields), id };
}

/** The class to restore a message of another class as. */
const standardClasses = new Map<string, string>([
  ["human", "HumanMessage"],
  ["ai", "AIMessage"],
  ["system", "SystemMessage"],
  ["tool", "ToolMessage"],
  ["function", "FunctionMessage"],
  ["generic", "ChatMessage"],
]);

/**
 * Returns the output of LangGraph's serializer with a class that LangChain's loader knows. For any other class, such as a
 * subclass of the host, the loader throws, and the thread could not be read again. Pure.
 */
export function withKnownClass(message: BaseMessage, text: string): string {
  const standard = standardClasses.get(message.getType());
  const [name = ""] = message.lc_id.slice(-1);
  const isKnown = classes.has(name) && message.lc_id.slice(0, -1).join("/") === "langchain_core/messages";
  if (isKnown || standard === undefined) return text;
  return JSON.stringify({ ...JSON.parse(text), id: ["langchain_core", "messages", standard] });
}

/** Returns the class and fields as JSON, which contains no line feed, then a line feed and the content, unescaped. */
function bytesOf(name: string, { content, ...fields }: Fields): Buffer {
  // UTF-8 cannot represent a lone surrogate; JSON can.
  if (typeof content !== "string" || !content.isWellFormed())
    return Buffer.from(JSON.stringify([name, { content, ...fields }]));
  const head = `${JSON.stringify([name, fields])}\n`;
  const start = Buffer.byteLength(head);
  // Write into the final buffer: concatenating strings would copy a large content once more.
  const bytes = Buffer.allocUnsafe(start + Buffer.byteLength(content));
  bytes.write(head);
  bytes.write(content, start);
  return bytes;
}

/** The stored form of a message, decoded as text. */
export interface MessageText {
  readonly text: string;
  readonly id: string | undefined;
}

/** The inverse of `messageParts`. Throws for a text that it did not return. */
export function messageFrom({ text, id }: MessageText): BaseMessage {
  const end = text.indexOf("\n");
  const [name, fields]: [string, Fields] = JSON.parse(end === -1 ? text : text.slice(0, end));
  const target = classes.get(name);
  if (!target) throw new TypeError(`${name} is not a class of messages`);
  if (end !== -1) fields["content"] = text.slice(end + 1);
  if (id !== undefined) fields["id"] = id;
  return target.create(fields);
}

/** Returns true for a value that JSON restores exactly, or as LangChain's loader does. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number" || value === undefined) return true;
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.every(isPlain);
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.entries(value).every(
    ([key, part]) =>
      key !== "lc" && key !== "__lc_escaped__" && key !== "toJSON" && key !== "__proto__" && isPlain(part),
  );
}
