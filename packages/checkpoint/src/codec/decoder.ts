import { CheckpointError } from "../checkpoint-error.js";
import { decodeSpecial, fromEntries } from "./special-values.js";
import type { Encoder } from "./encoder.js";
import { keyIdOf } from "./encryption/encrypt-node.js";
import { gather, withoutKeys } from "./gather.js";
import type { Gathered, LoadBlobs } from "./gather.js";
import { asNode, encryptedTag, referenceOf, isTagged, tag } from "./node.js";
import { knownList } from "./known-lists.js";
import type { ListSource } from "./known-lists.js";
import { messageFrom } from "./message.js";
import type { Item, ListBody, Node } from "./node.js";
import { PagedList } from "./paged-list.js";
import { digestIn, idIn, kindOf } from "./reference.js";
import type { Unpacked } from "./packing/unpacked.js";

export interface DecoderOptions {
  readonly load: LoadBlobs;
  /** Restores a value that LangGraph's serializer wrote. */
  readonly fromText: (text: string) => Promise<unknown>;
  /** Records the lists that are read, so that writing them again stores nothing. */
  readonly encoder?: Encoder;
  /** The decoder of a similar value: parts that both reach are not loaded again, and are the same objects. */
  readonly earlier?: Decoder;
}

/** Decodes values. A message or list that was one object when it was written is one object again. */
export class Decoder {
  readonly #options: DecoderOptions;
  readonly #gathered: Gathered;
  readonly #lists = new Map<string, unknown>();
  /** The values of pages that hold only messages and texts, which are the same objects wherever they occur. */
  readonly #pages = new Map<string, readonly unknown[]>();
  readonly #revived = new Map<Node, unknown>();

  constructor({ earlier, ...options }: DecoderOptions) {
    this.#options = options;
    const fresh: Gathered = { leaves: new Map(), trees: new Map(), texts: [] };
    // Keep only the direct predecessor: a chain would keep everything that was ever loaded.
    const { leaves, trees } = earlier ? earlier.#gathered : fresh;
    this.#gathered = earlier ? { ...fresh, earlier: { leaves, trees, texts: [] } } : fresh;
  }

  /** Loads everything that the nodes reach, with one round of reads for each level. */
  async load(nodes: readonly Node[]): Promise<void> {
    await gather(nodes, this.#gathered, { load: this.#options.load, revive });
    for (const node of this.#gathered.texts.splice(0)) {
      const text = String(this.build(node["v"] ?? null));
      this.#revived.set(node, await this.#options.fromText(text));
    }
  }

  /** Returns the value of a node whose references were loaded. */
  readonly build = (node: Node): unknown => {
    if (typeof node !== "object" || node === null) return node;
    if (Array.isArray(node)) return node.map(this.build);
    if (!isTagged(node)) return fromEntries(Object.entries(node), this.build);
    const reference = referenceOf(node);
    return reference === undefined ? this.#tagged(node) : this.#referenced(reference);
  };

  #tagged(node: { readonly [key: string]: Node }): unknown {
    const letter = node[tag] as string;
    if (letter === "L" || letter === "O") return this.#list(node as unknown as ListBody, letter === "O");
    if (letter === "A") return (node["v"] as readonly Item[]).map(this.#item);
    if (letter === "s") return this.#revived.get(node);
    if (letter === encryptedTag) throw withoutKeys(keyIdOf(node) ?? "");
    return decodeSpecial(letter, node["v"] ?? null, this.build);
  }

  #referenced(reference: string): unknown {
    const kind = kindOf(reference);
    if (kind === "m" || kind === "t") return this.#leaf(reference);
    if (kind === "b") return Uint8Array.from(this.#leaf(reference) as Uint8Array);
    const tree = this.#tree(reference);
    if (!isTagged(tree) || (tree[tag] !== "L" && tree[tag] !== "O")) return this.build(tree);
    const known = this.#lists.get(reference);
    if (known !== undefined) return known;
    const list = this.build(tree);
    this.#lists.set(reference, list);
    return list;
  }

  readonly #item = (item: Item): unknown =>
    typeof item === "string" && !item.startsWith("=") ? this.#referenced(item) : this.build(asNode(item));

  #list(body: ListBody, isRecord: boolean): unknown {
    if (!isRecord && this.#options.encoder === undefined) return this.#values(body);
    const paged = this.#open(body);
    if (!isRecord) {
      const values = paged.items.map(this.#item);
      this.#remember({ whole: values, values }, paged);
      return values;
    }
    const entries = paged.items as readonly (readonly [string, Node])[];
    const whole = fromEntries(entries, this.build);
    this.#remember({ whole, values: Object.values(whole), keys: entries.map(([key]) => key) }, paged);
    return whole;
  }

  /** Returns the values of a list whose pages no encoder needs. Pages that were read before are not read again. */
  #values({ u, v, n }: ListBody): unknown[] {
    const pages = u === undefined ? [] : this.#open(this.#tree(u) as unknown as ListBody).items;
    const values: unknown[] = [];
    for (const page of pages) for (const value of this.#page(page as string)) values.push(value);
    for (const item of v) values.push(this.#item(item));
    if (u === undefined || values.length === n) return values;
    throw new CheckpointError(
      "corrupt",
      `A stored list has ${values.length} items instead of ${n}. Restore the database from a copy.`,
    );
  }

  #page(reference: string): readonly unknown[] {
    const known = this.#pages.get(reference);
    if (known !== undefined) return known;
    const items = this.#tree(reference) as readonly Item[];
    const values = items.map(this.#item);
    if (items.every(isShared)) this.#pages.set(reference, values);
    return values;
  }

  #remember(source: ListSource, paged: PagedList): void {
    this.#options.encoder?.lists.remember(source, knownList(source, paged));
  }

  #open(body: ListBody): PagedList {
    if (body.u === undefined) return new PagedList({ items: [...body.v] });
    const pages = this.#open(this.#tree(body.u) as unknown as ListBody);
    const items: Item[] = [];
    const ends: number[] = [];
    for (const page of pages.items) {
      for (const item of this.#tree(page as string) as readonly Item[]) items.push(item);
      ends.push(items.length);
    }
    for (const item of body.v) items.push(item);
    if (items.length === body.n) return new PagedList({ items, ends, pages, pagesReference: body.u });
    throw new CheckpointError(
      "corrupt",
      `A stored list has ${items.length} items instead of ${body.n}. Restore the database from a copy.`,
    );
  }

  #tree(reference: string): Node {
    const tree = this.#gathered.trees.get(reference);
    if (tree === undefined) throw missing(reference);
    return tree;
  }

  #leaf(reference: string): unknown {
    const leaf = this.#gathered.leaves.get(reference);
    if (leaf === undefined) throw missing(reference);
    return leaf;
  }
}

function isShared(item: Item): boolean {
  return typeof item === "string" && (item.startsWith("=") || "mt".includes(kindOf(item)));
}

/** Decodes a message, a text or bytes. */
function revive(reference: string, value: Unpacked): unknown {
  const kind = kindOf(reference);
  if (kind === "b") return value.bytes;
  return kind === "t" ? value.text : messageFrom({ text: value.text, id: idIn(reference) });
}

function missing(reference: string): CheckpointError {
  return new CheckpointError(
    "missing-blob",
    `The stored value ${digestIn(reference)} is missing. Restore the database from a copy.`,
  );
}
