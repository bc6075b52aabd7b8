import type { BaseMessage } from "@langchain/core/messages";

/**
 * The identities of a value and its parts, to detect changes in place without serializing the value again. A primitive value is
 * its own stamp; so is an empty array or object, because every message has several.
 *
 * A library for deep equality would need a deep copy to compare with, and does not know the fields of messages.
 * Hot path: comparing thousands of messages waits for memory. So identities are compared with `Object.is`, which does not read
 * the values, as `===` does to learn their types, and nested values are one list.
 */
export type Stamp = unknown;

const maxDepth = 64;

/** Objects that contain each other have no end. */
const maxParts = 1_000_000;

/** Marks in a list of parts. The value and the number of its parts follow, then the parts. */
const list = Symbol("list");
const record = Symbol("record");
/** The stamp of a value that cannot be compared cheaply. It never counts as unchanged. */
const volatile = Symbol("volatile");

/** The position after a part that has changed. */
const changed = -1;

/** An array or object that is not empty, and everything in it, in the order of a walk. */
class Parts {
  constructor(readonly all: readonly unknown[]) {}
}

/** The fields that LangChain serializes. Hot path: reading them by name is several times faster than iterating over keys. */
interface MessageFields {
  readonly lc_kwargs: unknown;
  readonly content?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly role?: unknown;
  readonly additional_kwargs?: unknown;
  readonly response_metadata?: unknown;
  readonly tool_calls?: unknown;
  readonly invalid_tool_calls?: unknown;
  readonly tool_call_chunks?: unknown;
  readonly usage_metadata?: unknown;
  readonly tool_call_id?: unknown;
  readonly status?: unknown;
  readonly artifact?: unknown;
  readonly metadata?: unknown;
}

class MessageStamp {
  readonly kwargs: unknown;
  readonly content: unknown;
  /** Undefined for a text. */
  readonly blocks: Stamp;
  readonly id: unknown;
  readonly name: unknown;
  readonly role: unknown;
  readonly additional: Stamp;
  readonly response: Stamp;
  readonly calls: Stamp;
  readonly invalid: Stamp;
  readonly chunks: Stamp;
  readonly usage: Stamp;
  readonly callId: unknown;
  readonly status: unknown;
  readonly artifact: Stamp;
  readonly metadata: Stamp;

  constructor(readonly value: MessageFields) {
    this.kwargs = value.lc_kwargs;
    this.content = value.content;
    this.blocks = typeof value.content === "object" ? stampOf(value.content) : undefined;
    this.id = value.id;
    this.name = value.name;
    this.role = value.role;
    this.additional = stampOf(value.additional_kwargs);
    this.response = stampOf(value.response_metadata);
    this.calls = stampOf(value.tool_calls);
    this.invalid = stampOf(value.invalid_tool_calls);
    this.chunks = stampOf(value.tool_call_chunks);
    this.usage = stampOf(value.usage_metadata);
    this.callId = value.tool_call_id;
    this.status = value.status;
    this.artifact = stampOf(value.artifact);
    this.metadata = stampOf(value.metadata);
  }

  isSame(message: MessageFields): boolean {
    return Object.is(this.id, message.id) && this.isSameExceptId(message);
  }

  isSameExceptId(message: MessageFields): boolean {
    return (
      Object.is(this.content, message.content) &&
      (this.blocks === undefined || isUnchanged(this.blocks, message.content)) &&
      Object.is(this.name, message.name) &&
      Object.is(this.role, message.role) &&
      Object.is(this.kwargs, message.lc_kwargs) &&
      Object.is(this.callId, message.tool_call_id) &&
      Object.is(this.status, message.status) &&
      isUnchanged(this.additional, message.additional_kwargs) &&
      isUnchanged(this.response, message.response_metadata) &&
      isUnchanged(this.calls, message.tool_calls) &&
      isUnchanged(this.invalid, message.invalid_tool_calls) &&
      isUnchanged(this.chunks, message.tool_call_chunks) &&
      isUnchanged(this.usage, message.usage_metadata) &&
      isUnchanged(this.artifact, message.artifact) &&
      isUnchanged(this.metadata, message.metadata)
    );
  }
}

/** The content of a value that is not a message. */
const noContent = Symbol("no content");

/** Returns the content of a message, for `hasContent`: cheap enough for thousands of messages on each step. Never throws. */
export function contentOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && isMessageLike(value) ? value.content : noContent;
}

/** Returns false for a message whose content was replaced. Does not detect a change inside the content. */
export function hasContent(value: unknown, content: unknown): boolean {
  return content === noContent || Object.is((value as MessageFields).content, content);
}

/** Returns the stamp of a value, for `isUnchanged`. Never throws. */
export function stampOf(value: unknown): Stamp {
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value) && isMessageLike(value)) return new MessageStamp(value);
  const parts: unknown[] = [];
  push(parts, value, 0);
  const [first, , size] = parts;
  if (first === volatile) return volatile;
  // A copy, because an array that grew has room for half as many parts again.
  return size === 0 ? value : new Parts(parts.slice());
}

/** Returns true for the object that was stamped if nothing in it has changed since. Never throws. */
export function isUnchanged(stamp: Stamp, value: unknown): boolean {
  if (Object.is(stamp, value)) return typeof value !== "object" || value === null || isEmpty(value);
  if (stamp instanceof MessageStamp) return stamp.value === value && stamp.isSame(stamp.value);
  return stamp instanceof Parts && after(stamp.all, 0, value) !== changed;
}

/** Returns true for the same message object in which nothing but the id has changed, when it has an id. */
export function isRenamed(stamp: Stamp, value: BaseMessage): boolean {
  if (!(stamp instanceof MessageStamp) || stamp.value !== value || value.id === undefined) return false;
  return stamp.isSameExceptId(stamp.value);
}

/** Hot path: only checks for emptiness. The prototype of the same object cannot have become another. */
function isEmpty(value: object): boolean {
  if (Array.isArray(value)) return value.length === 0;
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}

function push(parts: unknown[], value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) parts.push(value);
  else if (depth > maxDepth || parts.length > maxParts) parts.push(volatile);
  else if (Array.isArray(value)) {
    parts.push(list, value, value.length);
    for (let index = 0; index < value.length; index++) push(parts, value[index], depth + 1);
  } else if (isPlain(value)) {
    const keys = Object.keys(value);
    parts.push(record, value, keys.length);
    for (const key of keys) {
      parts.push(key);
      push(parts, value[key], depth + 1);
    }
  } else parts.push(isMessageLike(value) ? new MessageStamp(value) : volatile);
}

/** Compares a value with the part at a position. Returns the position after the part. */
function after(parts: readonly unknown[], at: number, value: unknown): number {
  const part = parts[at];
  // No value is one of the marks.
  if (Object.is(part, value)) return at + 1;
  if (part === list && Object.is(parts[at + 1], value)) return afterItems(parts, at + 2, value as unknown[]);
  if (part === record && Object.is(parts[at + 1], value))
    return afterEntries(parts, at + 2, value as Record<string, unknown>);
  return part instanceof MessageStamp && isUnchanged(part, value) ? at + 1 : changed;
}

function afterItems(parts: readonly unknown[], at: number, value: readonly unknown[]): number {
  if (value.length !== parts[at]) return changed;
  let next = at + 1;
  for (let index = 0; index < value.length && next !== changed; index++)
    next = after(parts, next, value[index]);
  return next;
}

function afterEntries(parts: readonly unknown[], at: number, value: Record<string, unknown>): number {
  let next = at + 1;
  let count = 0;
  for (const key in value) {
    if (key !== parts[next]) return changed;
    next = after(parts, next + 1, value[key]);
    if (next === changed) return changed;
    count++;
  }
  return count === parts[at] ? next : changed;
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isMessageLike(value: object): value is MessageFields {
  return "lc_kwargs" in value && "content" in value && "getType" in value;
}
