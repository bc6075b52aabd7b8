import { JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
import { LRUCache } from "lru-cache";
import { isMessage } from "../codec/message.js";

/** Maximum characters of the JSON of cached messages. A message takes about three times as many bytes. */
const maxCharacters = 64 * 1024 * 1024;

/** A record that LangGraph's reviver must replace. */
interface Pending {
  readonly holder: object;
  readonly key: string;
  readonly record: string;
}

/**
 * LangGraph's serializer with a cache, for the source of a copy. LangGraph's savers repeat every message in each checkpoint,
 * and its reviver takes most of the time of a copy: this serializer revives equal messages once, and returns the same frozen
 * object again. A change throws instead of reaching other checkpoints, so no graph can run on such a saver.
 */
export class CachedMessagesSerializer extends JsonPlusSerializer {
  readonly #messages = new LRUCache<string, object>({
    maxSize: maxCharacters,
    sizeCalculation: (_, record) => record.length,
  });

  override async loadsTyped(type: string, data: Uint8Array | string): Promise<unknown> {
    if (type !== "json") return super.loadsTyped(type, data);
    const text = typeof data === "string" ? data : new TextDecoder().decode(data);
    const root = { value: JSON.parse(text) as unknown };
    const pending: Pending[] = [];
    this.#fill(root, pending);
    for (const { holder, key, record } of pending) define(holder, key, await this.#revived(record));
    return root.value;
  }

  /** Replaces the records of known messages by the messages, and collects the other records. */
  #fill(holder: object, pending: Pending[]): void {
    for (const [key, value] of Object.entries(holder) as [string, unknown][]) {
      if (typeof value !== "object" || value === null) continue;
      if (isRecord(value)) {
        const record = JSON.stringify(value);
        const known = this.#messages.get(record);
        if (known) define(holder, key, known);
        else pending.push({ holder, key, record });
      } else this.#fill(value, pending);
    }
  }

  async #revived(record: string): Promise<unknown> {
    const known = this.#messages.get(record);
    if (known) return known;
    const revived: unknown = await super.loadsTyped("json", record);
    // A Map, a Set or bytes inside a message cannot be frozen.
    const isShared = isObject(revived) && isMessage(revived) && !record.includes('"lc":2');
    if (isShared) this.#messages.set(record, frozen(revived));
    return revived;
  }
}

/** Returns true for a record that LangGraph's reviver replaces. Pure. */
function isRecord(value: { readonly lc?: unknown; readonly type?: unknown; readonly id?: unknown }): boolean {
  return value.lc === 2 || (value.lc === 1 && value.type === "constructor" && Array.isArray(value.id));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Defines a property, because an assignment to "__proto__" sets none. */
function define(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

function frozen<Value extends object>(value: Value): Value {
  if (Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value) as unknown[]) if (isObject(part)) frozen(part);
  return value;
}
