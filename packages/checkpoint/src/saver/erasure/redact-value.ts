import type { BaseMessage } from "@langchain/core/messages";
import { isMessage } from "../../codec/message.js";
import { fileDigest } from "../../codec/node.js";
import type { Redaction } from "./redaction.js";

/** What a value of the state may hold that has rules of its own. */
export interface ValueRules {
  readonly message: (message: BaseMessage) => BaseMessage;
  /** An entry of a `files` channel. */
  readonly file: (entry: object) => object;
  /** An original that state holds for the archive: a path and a content. Undefined where that changes nothing. */
  readonly held: (path: string) => { readonly path: string; readonly content: string } | undefined;
}

/**
 * Puts tombstones in decoded values of the state, at any depth, in texts, keys and bytes. Where there is nothing to erase, the value
 * itself comes back. Remembers each object: successive checkpoints share them.
 */
export class ValueRedaction {
  readonly #redaction: Redaction;
  readonly #rules: ValueRules;
  readonly #known = new WeakMap<object, unknown>();

  constructor(redaction: Redaction, rules: ValueRules) {
    this.#redaction = redaction;
    this.#rules = rules;
  }

  readonly value = (value: unknown): unknown => {
    if (typeof value === "string") return this.#redaction.text(value);
    if (typeof value === "number" || typeof value === "bigint")
      return this.#redaction.isNumber(value) ? this.#redaction.tombstone : value;
    if (typeof value !== "object" || value === null) return value;
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    // A value that contains itself is stored with a text in that place.
    this.#known.set(value, value);
    const redacted = this.#object(value);
    this.#known.set(value, redacted);
    return redacted;
  };

  #object(value: object): unknown {
    if (isMessage(value)) return this.#rules.message(value);
    if (fileDigest(value) !== undefined) return this.#rules.file(value);
    if (value instanceof Uint8Array) return this.#redaction.bytes(value);
    if (ArrayBuffer.isView(value) || value instanceof Date || value instanceof RegExp) return value;
    if (Array.isArray(value)) return this.#list(value);
    if (value instanceof Map) return this.#map(value);
    if (value instanceof Set) return this.#set(value);
    return this.#record(value);
  }

  #list(list: readonly unknown[]): unknown {
    const redacted = list.map(this.value);
    return redacted.some((part, at) => part !== list[at]) ? redacted : list;
  }

  #map(map: ReadonlyMap<unknown, unknown>): unknown {
    const entries = [...map].map(([key, value]) => [key, this.value(key), this.value(value)] as const);
    if (entries.every(([key, newKey, value]) => key === newKey && map.get(key) === value)) return map;
    const redacted = new Map<unknown, unknown>();
    for (const [, key, value] of entries)
      redacted.set(typeof key === "string" ? freeKey(key, (one) => redacted.has(one)) : key, value);
    return redacted;
  }

  #set(set: ReadonlySet<unknown>): unknown {
    const values = [...set];
    const redacted = this.#list(values) as readonly unknown[];
    return redacted === values ? set : new Set(redacted);
  }

  #record(record: object): unknown {
    const { path } = record as { readonly path?: unknown };
    const held = typeof path === "string" && "content" in record ? this.#rules.held(path) : undefined;
    if (held !== undefined) return { ...record, ...held };
    const entries = Object.entries(record).map(([key, value]): [string, string, unknown, unknown] => [
      key,
      this.#redaction.text(key),
      value,
      this.value(value),
    ]);
    if (entries.every(([key, newKey, value, newValue]) => key === newKey && value === newValue))
      return record;
    const redacted = Object.create(Object.getPrototypeOf(record) as object | null) as object;
    for (const [, key, , value] of entries)
      Object.defineProperty(
        redacted,
        freeKey(key, (one) => Object.hasOwn(redacted, one)),
        { value, writable: true, enumerable: true, configurable: true },
      );
    return redacted;
  }
}

/** Returns the key, with a number if two keys have become one: neither value may take the place of the other. */
function freeKey(key: string, isTaken: (key: string) => boolean): string {
  let free = key;
  for (let number = 2; isTaken(free); number++) free = `${key} (${number})`;
  return free;
}
