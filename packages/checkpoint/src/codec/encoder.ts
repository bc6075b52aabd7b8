import { constants } from "node:buffer";
import type { BaseMessage } from "@langchain/core/messages";
import type { EncryptBlob } from "./encryption/encrypt-blob.js";
import { encodeSpecial } from "./special-values.js";
import { fileDigest, blobThreshold, isTagged, pagedFrom, recordFrom, tag, asItem, asNode } from "./node.js";
import { explainEncoding, tooLong } from "./encoding-errors.js";
import { KnownLists, replacedRecord } from "./known-lists.js";
import type { ListSource } from "./known-lists.js";
import { isMessage, messageParts, withKnownClass } from "./message.js";
import type { Item, Node } from "./node.js";
import type { StorePage } from "./paged-list.js";
import { digestIn, digestOf, kindOf, referenceTo, type BlobKind } from "./reference.js";
import { contentOf, isRenamed, isUnchanged, stampOf } from "./stamp.js";
import type { Stamp } from "./stamp.js";

/** Blobs by digest. */
export type Blobs = Map<string, Uint8Array>;

/** Serializes a value with LangGraph's serializer. */
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
 * Encodes the values of one thread's checkpoints. It remembers which blobs it has returned and does not return them again, so it
 * is valid only while those blobs are known to be stored. A fresh encoder returns every blob.
 */
export class Encoder {
  readonly #toText: ToText;
  readonly #encrypt: EncryptBlob;
  readonly #items = new WeakMap<object, KnownItem>();
  readonly #lists = new KnownLists();
  readonly #knownFiles = new Set<string>();
  #blobs: Blobs = new Map();
  #files = new Set<string>();
  #seen = new Map<object, Node>();
  readonly #path = new Set<object>();

  /** `encrypt` returns the form in which a blob is stored, and is asked once for each. */
  constructor(toText: ToText, encrypt: EncryptBlob = (_, bytes) => bytes) {
    this.#toText = toText;
    this.#encrypt = encrypt;
  }

  /**
   * Runs `encode` and returns its result, with the blobs and the digests of workspace files that the result needs and that
   * were not returned before. Synchronous. Throws a CheckpointError "unsupported" for a value that is nested too deeply for the
   * stack, which takes more than a thousand levels, and for a text that could not be read back, which takes more than 512 MB.
   */
  collect<T>(encode: () => T): Collected<T> {
    const blobs: Blobs = new Map();
    const files = new Set<string>();
    this.#blobs = blobs;
    this.#files = files;
    this.#seen = new Map();
    try {
      return { result: encode(), blobs, files };
    } catch (error) {
      throw explainEncoding(error);
    }
  }

  /** Encodes the value of a channel or of a write. A list stays inline, so that its open tail is not stored twice. */
  encode(value: unknown): Node {
    const node = this.#node(value, true);
    return isTagged(node) && "v" in node ? node : this.shorten(node, blobThreshold);
  }

  /** Returns the node, or a reference to it when its JSON is longer than `maxLength` characters. */
  shorten(node: Node, maxLength: number): Node {
    if (typeof node !== "object" || node === null) return node;
    const text = JSON.stringify(node);
    return text.length > maxLength ? this.#store("j", text) : node;
  }

  /** A decoder records here the lists that it read. */
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
      // `map` would skip the holes of an array, for which JSON has null.
      return Array.from(value, (item: unknown) => this.#node(isData(item) ? item : null));
    }
    const special = encodeSpecial(value, {
      node: (part) => this.#node(part, open),
      bytes: (bytes) => this.#store("b", bytes),
      toText: this.#toText,
    });
    return special === undefined ? this.#record(value, open) : special;
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
    const store = (kind: "p" | "l", text: string): string => this.#put(kind, text);
    const { known, itemOf } = this.#replaced(source, store) ?? this.#lists.prefixOf(source);
    known.isGrowing = true;
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
    known.isGrowing = false;
    const inline = source.keys ? undefined : known.paged.inline(blobThreshold);
    const letter = source.keys ? "O" : inline ? "A" : "L";
    const list: Node = inline ? { [tag]: letter, v: inline } : { [tag]: letter, ...known.paged.body(store) };
    const node = open || inline ? list : this.#store("j", JSON.stringify(list));
    if (!open) this.#seen.set(source.whole, node);
    return node;
  }

  /** Encodes a record that differs from a known one in a few values, such as the files of a workspace after a write. */
  #replaced(source: ListSource, store: StorePage): ReturnType<KnownLists["prefixOf"]> | undefined {
    const like = this.#lists.recordLike(source);
    if (!like) return undefined;
    const { keys = [], values } = source;
    if (like.changed.length === 0) return { known: like.known, itemOf: () => undefined };
    const changes = like.changed.map((index): [number, Item] => [
      index,
      [keys[index] ?? "", asNode(this.#item(values[index]))],
    ]);
    const known = replacedRecord(like, source, like.known.paged.replaced(new Map(changes), store));
    this.#lists.remember(source, known);
    return { known, itemOf: () => undefined };
  }

  #item(value: unknown): Item {
    if (typeof value !== "object" || value === null) return asItem(this.#node(isData(value) ? value : null));
    const known = this.#items.get(value);
    if (known && isUnchanged(known.stamp, value)) return known.item;
    const item = asItem(this.shorten(this.#node(value), blobThreshold));
    // A message has a new entry by now: its stamp reads every field.
    if (this.#items.get(value) === known) this.#items.set(value, { stamp: stampOf(value), item });
    return item;
  }

  #message(message: BaseMessage): Node {
    const known = this.#items.get(message);
    if (known && typeof known.item === "string" && kindOf(known.item) === "m") {
      if (isUnchanged(known.stamp, message)) return { [tag]: known.item };
      // LangGraph assigns the id of a new message in place: the blob of the task's write serves the state too.
      if (isRenamed(known.stamp, message))
        return this.#known(message, referenceTo("m", digestIn(known.item), message.id));
    }
    const parts = messageParts(message);
    if (!parts) return { [tag]: "s", v: this.#node(withKnownClass(message, this.#toText(message))) };
    return this.#known(message, this.#put("m", parts.bytes, parts.id));
  }

  #known(message: BaseMessage, reference: string): Node {
    this.#items.set(message, { stamp: stampOf(message), item: reference });
    return { [tag]: reference };
  }

  #text(text: string): Node {
    // UTF-8 cannot represent a lone surrogate; JSON can.
    return text.isWellFormed() ? this.#store("t", text) : this.#store("j", JSON.stringify(text));
  }

  #store(kind: BlobKind, content: string | Uint8Array): Node {
    return { [tag]: this.#put(kind, content) };
  }

  #put(kind: BlobKind, content: string | Uint8Array, id?: string): string {
    const plain = typeof content === "string" ? Buffer.from(content) : content;
    // All but bytes are decoded into one text.
    if (kind !== "b" && plain.length > constants.MAX_STRING_LENGTH) throw tooLong();
    const bytes = this.#encrypt(kind, plain);
    const digest = digestOf(bytes);
    this.#blobs.set(digest, bytes);
    return referenceTo(kind, digest, id);
  }
}

/** As in JSON, functions and symbols are left out of an object and become null in an array. */
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
