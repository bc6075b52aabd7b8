import type { BaseMessage } from "@langchain/core/messages";

/**
 * A shallow copy of a value and its parts by identity, to detect changes in place without serializing the value again. An empty
 * array or object, of which every message has several, is its own stamp.
 *
 * A library for deep equality would need a deep copy to compare with, and does not know the fields of messages.
 */
export type Stamp = unknown;

const maxDepth = 64;

/** The stamp of a value that cannot be compared cheaply. It never counts as unchanged. */
const volatile = Symbol("volatile");

class ArrayStamp {
  constructor(
    readonly value: readonly unknown[],
    readonly parts: readonly Stamp[],
  ) {}
}

class ObjectStamp {
  constructor(
    readonly value: object,
    readonly keys: readonly string[],
    readonly parts: readonly Stamp[],
  ) {}
}

/** The fields that LangChain serializes. Hot path: reading them by name is several times faster than iterating over keys. */
interface MessageFields {
  readonly lc_kwargs: unknown;
  readonly content?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly additional_kwargs?: unknown;
  readonly response_metadata?: unknown;
  readonly tool_calls?: unknown;
  readonly invalid_tool_calls?: unknown;
  readonly usage_metadata?: unknown;
  readonly tool_call_id?: unknown;
  readonly status?: unknown;
  readonly artifact?: unknown;
}

class MessageStamp {
  readonly kwargs: unknown;
  readonly content: Stamp;
  readonly id: unknown;
  readonly name: unknown;
  readonly additional: Stamp;
  readonly metadata: Stamp;
  readonly calls: Stamp;
  readonly invalid: Stamp;
  readonly usage: Stamp;
  readonly callId: unknown;
  readonly status: unknown;
  readonly artifact: Stamp;

  constructor(readonly value: MessageFields) {
    this.kwargs = value.lc_kwargs;
    this.content = stampOf(value.content);
    this.id = value.id;
    this.name = value.name;
    this.additional = stampOf(value.additional_kwargs);
    this.metadata = stampOf(value.response_metadata);
    this.calls = stampOf(value.tool_calls);
    this.invalid = stampOf(value.invalid_tool_calls);
    this.usage = stampOf(value.usage_metadata);
    this.callId = value.tool_call_id;
    this.status = value.status;
    this.artifact = stampOf(value.artifact);
  }

  isSame(message: MessageFields): boolean {
    return this.id === message.id && this.isSameExceptId(message);
  }

  isSameExceptId(message: MessageFields): boolean {
    return (
      isUnchanged(this.content, message.content) &&
      this.name === message.name &&
      this.kwargs === message.lc_kwargs &&
      this.callId === message.tool_call_id &&
      this.status === message.status &&
      isUnchanged(this.additional, message.additional_kwargs) &&
      isUnchanged(this.metadata, message.response_metadata) &&
      isUnchanged(this.calls, message.tool_calls) &&
      isUnchanged(this.invalid, message.invalid_tool_calls) &&
      isUnchanged(this.usage, message.usage_metadata) &&
      isUnchanged(this.artifact, message.artifact)
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
  return content === noContent || (value as MessageFields).content === content;
}

/** Returns the stamp of a value, for `isUnchanged`. Never throws. */
export function stampOf(value: unknown, depth = 0): Stamp {
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxDepth) return volatile;
  if (Array.isArray(value)) {
    if (value.length === 0) return value;
    const items = value.map((item) => stampOf(item, depth + 1));
    return new ArrayStamp(value, items);
  }
  if (isMessageLike(value)) return new MessageStamp(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return volatile;
  const keys = Object.keys(value);
  if (keys.length === 0) return value;
  const parts: Stamp[] = [];
  for (const [, part] of Object.entries(value)) parts.push(stampOf(part, depth + 1));
  return new ObjectStamp(value, keys, parts);
}

/** Returns true for the same object, by identity, in which nothing has changed since it was stamped. Never throws. */
export function isUnchanged(stamp: Stamp, value: unknown): boolean {
  if (typeof stamp !== "object" || stamp === null) return Object.is(stamp, value) && stamp !== volatile;
  if (stamp === value) return isEmpty(stamp);
  if (stamp instanceof MessageStamp) return stamp.value === value && stamp.isSame(stamp.value);
  if (stamp instanceof ArrayStamp) return stamp.value === value && isSameArray(stamp);
  return stamp instanceof ObjectStamp && stamp.value === value && isSameObject(stamp);
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

function isSameArray({ value, parts }: ArrayStamp): boolean {
  if (value.length !== parts.length) return false;
  for (let index = 0; index < parts.length; index++) {
    if (!isUnchanged(parts[index], value[index])) return false;
  }
  return true;
}

function isSameObject({ value, keys, parts }: ObjectStamp): boolean {
  let index = 0;
  for (const key in value) {
    if (key !== keys[index]) return false;
    if (!isUnchanged(parts[index], Reflect.get(value, key))) return false;
    index++;
  }
  return index === keys.length;
}

function isMessageLike(value: object): value is MessageFields {
  return "lc_kwargs" in value && "content" in value && "getType" in value;
}
