import type { BaseMessage } from "@langchain/core/messages";
import { encodeExotic } from "./special-values.js";
import { fileDigest, blobThreshold, isTagged, pagedFrom, recordFrom, tag, asItem, asNode } from "./node.js";
import { KnownLists } from "./known-lists.js";
import type { ListSource } from "./known-lists.js";
import { isMessage, messageParts } from "./message.js";
import type { Item, Node } from "./node.js";
import { digestIn, digestOf, kindOf, referenceTo } from "./reference.js";
import type { BlobKind } from "./reference.js";
import { contentOf, isRenamed, isUnchanged, stampOf } from "./stamp.js";
import type { Stamp } from "./stamp.js";

/** Blobs by digest. */
export type Blobs = Map<string, Uint8Array>;

/** Gives the text that the host's serializer makes of a value. */
export type ToText = (value: object) => string;

export interface Collected<T> {
  readonly result: T;
  readonly blobs: Blobs;
  readonly files: ReadonlySet<string>;
}

interface KnownItem {
  readonly stamp: Stamp;
  readonly item: Item;
}

/**
 * Encodes what one thread's checkpoints hold. It remembers what it has handed out as a blob before and leaves that out:
 * it serves as long as the thread's blobs are known to be stored, and is thrown away when they are not.
 */
export class Encoder {
  readonly #toText: ToText;
  readonly #items = new WeakMap<object, KnownItem>();
  readonly #lists = new KnownLists();
  readonly #knownFiles = new Set<string>();
  #blobs: Blobs = new Map();
  #files = new Set<string>();
  #seen = new Map<object, Node>();
  readonly #path = new Set<object>();

  constructor(toText: ToText) {
    this.#toText = toText;
  }

  /**
   * Returns what `encode` gives, and the blobs and the contents of workspace files, as digests, that it needs and that
   * were not handed out before. Synchronous.
   */
  collect<T>(encode: () => T): Collected<T> {
    const blobs: Blobs = new Map();
    const files = new Set<string>();
    this.#blobs = blobs;
    this.#files = files;
    this.#seen = new Map();
    return { result: encode(), blobs, files };
  }

  /** Returns a channel's value or a write. A list stands open here, so that its tail is not stored twice. */
  encode(value: unknown): Node {
    const node = this.#node(value, true);
    return isTagged(node) && "v" in node ? node : this.shorten(node, blobThreshold);
  }

  /** Returns the node, or a reference to it when its JSON is longer than a number of characters. */
  shorten(node: Node, longest: number): Node {
    if (typeof node !== "object" || node === null) return node;
    const text = JSON.stringify(node);
    return text.length > longest ? this.#store("j", text) : node;
  }

  /** Where a decoder notes the lists that came out of the store. */
  get lists(): KnownLists {
    return this.#lists;
  }

  #node(value: unknown, open = false): Node {
    if (typeof value === "string") return value.length > blobThreshold ? this.#text(value) : value;
    if (typeof value === "boolean" || value === null) return value;
    if (typeof value !== "object") return encodeScalar(value);
    const seen = this.#seen.get(value);
    if (seen !== undefined) return seen;
    if (this.#path.has(value)) return "[Circular]";
    this.#path.add(value);
    try {
      return this.#object(value, open);
    } finally {
      this.#path.delete(value);
    }
  }

  #object(value: object, open: boolean): Node {
    if (isMessage(value)) return this.#message(value);
    if (Array.isArray(value)) {
      if (value.length >= pagedFrom) return this.#list({ whole: value, values: value }, open);
      return value.map((item) => this.#node(isData(item) ? item : null));
    }
    const exotic = encodeExotic(value, {
      node: (part) => this.#node(part, open),
      bytes: (bytes) => this.#store("b", bytes),
      toText: this.#toText,
    });
    return exotic === undefined ? this.#record(value, open) : exotic;
  }

  #record(value: object, open: boolean): Node {
    this.#noteFile(value);
    const entries = Object.entries(value).filter(([, part]) => isData(part));
    if (entries.length >= recordFrom) {
      const keys = entries.map(([key]) => key);
      return this.#list({ whole: value, keys, values: entries.map(([, part]) => part) }, open);
    }
    if (entries.some(([key]) => key === tag || key === "__proto__")) {
      return { [tag]: "o", v: entries.map(([key, part]) => [key, this.#node(part)]) };
    }
    return Object.fromEntries(entries.map(([key, part]) => [key, this.#node(part)]));
  }

  #noteFile(value: object): void {
    const digest = fileDigest(value);
    if (digest === undefined || this.#knownFiles.has(digest)) return;
    this.#knownFiles.add(digest);
    this.#files.add(digest);
  }

  #list(source: ListSource, open: boolean): Node {
    const { known, itemOf } = this.#lists.beginningOf(source);
    const store = (kind: "p" | "l", text: string): string => this.#put(kind, text);
    known.growing = true;
    for (let index = known.values.length; index < source.values.length; index++) {
      const value = source.values[index];
      const key = source.keys?.[index];
      const item = itemOf(value) ?? this.#item(value);
      known.paged.push(key === undefined ? item : [key, asNode(item)], store);
      known.values.push(value);
      known.stamps.push(stampOf(value));
      known.contents.push(contentOf(value));
      if (key !== undefined) known.keys?.push(key);
    }
    known.growing = false;
    const inline = source.keys ? undefined : known.paged.inline(blobThreshold);
    const letter = source.keys ? "O" : inline ? "A" : "L";
    const list: Node = inline ? { [tag]: letter, v: inline } : { [tag]: letter, ...known.paged.body(store) };
    const node = open || inline ? list : this.#store("j", JSON.stringify(list));
    if (!open) this.#seen.set(source.whole, node);
    return node;
  }

  #item(value: unknown): Item {
    if (typeof value !== "object" || value === null) return asItem(this.#node(isData(value) ? value : null));
    const known = this.#items.get(value);
    if (known && isUnchanged(known.stamp, value)) return known.item;
    const item = asItem(this.shorten(this.#node(value), blobThreshold));
    this.#items.set(value, { stamp: stampOf(value), item });
    return item;
  }

  #message(message: BaseMessage): Node {
    const known = this.#items.get(message);
    if (known && typeof known.item === "string" && kindOf(known.item) === "m") {
      if (isUnchanged(known.stamp, message)) return { [tag]: known.item };
      // The host gives a new message its id in place: what was handed out for the task's write is what the state needs.
      if (isRenamed(known.stamp, message))
        return this.#known(message, referenceTo("m", digestIn(known.item), message.id));
    }
    const parts = messageParts(message);
    if (!parts) return { [tag]: "s", v: this.#node(this.#toText(message)) };
    return this.#known(message, this.#put("m", parts.bytes, parts.id));
  }

  #known(message: BaseMessage, reference: string): Node {
    this.#items.set(message, { stamp: stampOf(message), item: reference });
    return { [tag]: reference };
  }

  #text(text: string): Node {
    // A lone surrogate is none of Unicode's characters: only JSON holds it.
    return text.isWellFormed() ? this.#store("t", text) : this.#store("j", JSON.stringify(text));
  }

  #store(kind: BlobKind, content: string | Uint8Array): Node {
    return { [tag]: this.#put(kind, content) };
  }

  #put(kind: BlobKind, content: string | Uint8Array, id?: string): string {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    const digest = digestOf(bytes);
    this.#blobs.set(digest, bytes);
    return referenceTo(kind, digest, id);
  }
}

/** Functions and symbols are no data: in an object they are left out, in an array they leave a null, as in JSON. */
function isData(value: unknown): boolean {
  return typeof value !== "function" && typeof value !== "symbol";
}

function encodeScalar(value: unknown): Node {
  if (typeof value === "number") {
    return Number.isFinite(value) && !Object.is(value, -0)
      ? value
      : { [tag]: "n", v: Object.is(value, -0) ? "-0" : String(value) };
  }
  if (typeof value === "bigint") return { [tag]: "i", v: String(value) };
  return { [tag]: "u" };
}
