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

/** A message as it is stored, its id beside it. */
export interface MessageParts {
  readonly bytes: Buffer;
  readonly id: string | undefined;
}

const common = ["content", "name", "additional_kwargs", "response_metadata"];
const ai = ["tool_calls", "invalid_tool_calls", "usage_metadata"];
const tool = ["tool_call_id", "status", "artifact", "metadata"];

/** The classes whose constructors can be called directly, and the fields for which that gives what the slow loader gives. */
const classes = new Map<string, KnownClass>([
  ["HumanMessage", known((fields) => new HumanMessage(fields), [])],
  ["HumanMessageChunk", known((fields) => new HumanMessageChunk(fields), [])],
  ["AIMessage", known((fields) => new AIMessage(fields), ai)],
  ["AIMessageChunk", known((fields) => new AIMessageChunk(fields), [...ai, "tool_call_chunks"])],
  ["SystemMessage", known((fields) => new SystemMessage(fields), [])],
  ["ToolMessage", known((fields) => new ToolMessage(fields as never), tool)],
  ["ToolMessageChunk", known((fields) => new ToolMessageChunk(fields as never), tool)],
  ["RemoveMessage", known((fields) => new RemoveMessage(fields as never), [])],
  ["FunctionMessage", known((fields) => new FunctionMessage(fields as never), [])],
  ["ChatMessage", known((fields) => new ChatMessage(fields as never), ["role"])],
]);

function known(create: (fields: Fields) => BaseMessage, more: readonly string[]): KnownClass {
  return { create, fields: new Set([...common, ...more]) };
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
 * Returns a message in its short form, or undefined when only the host's serializer brings it back whole: other classes,
 * fields of its own, values that JSON does not hold. Pure.
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

/** The class and the fields as JSON, which has no line feed, and behind one the content as it is: nothing to escape or to parse. */
function bytesOf(name: string, { content, ...fields }: Fields): Buffer {
  // A lone surrogate is none of Unicode's characters: only JSON holds it.
  if (typeof content !== "string" || !content.isWellFormed())
    return Buffer.from(JSON.stringify([name, { content, ...fields }]));
  const head = `${JSON.stringify([name, fields])}\n`;
  const start = Buffer.byteLength(head);
  // Written where it is to stand: joined as strings a large content would be copied once more.
  const bytes = Buffer.allocUnsafe(start + Buffer.byteLength(content));
  bytes.write(head);
  bytes.write(content, start);
  return bytes;
}

/** A message as it was stored, as text. */
export interface MessageText {
  readonly text: string;
  readonly id: string | undefined;
}

/** Returns the message that `messageParts` was given. Throws for a text that it did not make. */
export function messageFrom({ text, id }: MessageText): BaseMessage {
  const end = text.indexOf("\n");
  const [name, fields]: [string, Fields] = JSON.parse(end === -1 ? text : text.slice(0, end));
  const target = classes.get(name);
  if (!target) throw new TypeError(`${name} is not a class of messages`);
  if (end !== -1) fields["content"] = text.slice(end + 1);
  if (id !== undefined) fields["id"] = id;
  return target.create(fields);
}

/** True for what JSON gives back as it is, or as the host's loader would. */
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
