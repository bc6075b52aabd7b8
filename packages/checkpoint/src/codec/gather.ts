import { missingKey, readHead } from "@palimpsest/vfs/internal";
import { encryptedTag, isTagged, tag, fileDigest, referenceOf } from "./node.js";
import type { Item, ListBody, Node } from "./node.js";
import { digestIn, kindOf } from "./reference.js";
import { CheckpointError } from "../checkpoint-error.js";
import type { Unpacked } from "./packing/unpacked.js";

/** What stays in clear of an encrypted tree or node. */
export interface ClearPart {
  readonly references?: readonly string[] | undefined;
  /** Digests of workspace files. */
  readonly files?: readonly string[] | undefined;
}

/** Loads the blobs with these digests, in their order. Throws when one is missing. */
export type LoadBlobs = (digests: readonly string[]) => Promise<readonly Unpacked[]>;

const maxPerLoad = 512;
const maxLoadsAhead = 4;

/** Loaded blobs by reference; undefined for a reference that was found and is not loaded yet. */
export interface Gathered {
  /** The values of blobs that contain no references. */
  readonly leaves: Map<string, unknown>;
  /** Blobs that contain references, parsed. */
  readonly trees: Map<string, Node | undefined>;
  /** Nodes that only LangGraph's serializer can restore. */
  readonly texts: { readonly [key: string]: Node }[];
  /** The loaded blobs of another value, which are reused. */
  readonly earlier?: Gathered;
}

export interface GatherOptions {
  readonly load: LoadBlobs;
  /** Decodes a blob that contains no references. */
  readonly revive: (reference: string, value: Unpacked) => unknown;
}

/** Loads everything that nodes reach, level by level. */
export async function gather(
  nodes: readonly Node[],
  into: Gathered,
  { load, revive }: GatherOptions,
): Promise<void> {
  const scan = new Scan(into);
  for (const node of nodes) scan.node(node);
  for (let wanted = scan.take(); wanted.length > 0; wanted = scan.take()) {
    await loadAll(wanted, load, (reference, value) => {
      const head = readHead(value.bytes);
      if (head) throw withoutKeys(head.keyId);
      if (isLeaf(reference)) into.leaves.set(reference, revive(reference, value));
      else scan.tree(reference, value.bytes);
    });
  }
}

/** Loads the blobs of references and passes each to `add`. Reads some parts while others are unpacked off this thread. */
async function loadAll(
  references: readonly string[],
  load: LoadBlobs,
  add: (reference: string, value: Unpacked) => void,
): Promise<void> {
  const underWay: { readonly part: readonly string[]; readonly blobs: ReturnType<LoadBlobs> }[] = [];
  let start = 0;
  const begin = (): void => {
    while (start < references.length && underWay.length < maxLoadsAhead) {
      const part = references.slice(start, start + maxPerLoad);
      start += maxPerLoad;
      const blobs = load(part.map(digestIn));
      // Awaited below, in order. Until then a rejection must not count as unhandled.
      blobs.catch(() => undefined);
      underWay.push({ part, blobs });
    }
  };
  begin();
  for (let current = underWay.shift(); current; current = underWay.shift()) {
    const blobs = await current.blobs;
    begin();
    for (const [position, value] of blobs.entries()) add(current.part[position] ?? "", value);
  }
}

/** The digests that nodes reach. */
export interface Reached {
  readonly blobs: ReadonlySet<string>;
  /** Of contents of workspace files. */
  readonly files: ReadonlySet<string>;
}

/**
 * Returns what nodes reach. A generator, so that synchronous and asynchronous engines can run it: it yields the digests of trees
 * to load and receives all of them unpacked.
 */
export function* walk(
  nodes: readonly Node[],
): Generator<readonly string[], Reached, ReadonlyMap<string, Buffer>> {
  const reached = new Set<string>();
  const scan = new Scan();
  for (const node of nodes) scan.node(node);
  for (let wanted = scan.take(); wanted.length > 0; wanted = scan.take()) {
    for (const reference of wanted) reached.add(digestIn(reference));
    const trees = wanted.filter((reference) => !isLeaf(reference));
    const loaded = yield [...new Set(trees.map(digestIn))];
    for (const reference of trees) scan.tree(reference, loaded.get(digestIn(reference)) as Buffer);
  }
  return { blobs: reached, files: scan.files };
}

function clearPartOf({ r, f }: { readonly [key: string]: Node }): ClearPart {
  return { references: r as ClearPart["references"], files: f as ClearPart["files"] };
}

/** Returns true for a reference to a blob without references. Pure. */
export function isLeaf(reference: string): boolean {
  return "mtb".includes(kindOf(reference));
}

/** Returns the error for content that is read without keys. Pure. */
export function withoutKeys(keyId: string): CheckpointError {
  return new CheckpointError("missing-key", `${missingKey(keyId).message} This saver has no encryption.`);
}

/** Finds the references of nodes, each once. */
export class Scan {
  readonly #into: Gathered;
  readonly files = new Set<string>();
  #wanted: string[] = [];

  constructor(into: Gathered = { leaves: new Map(), trees: new Map(), texts: [] }) {
    this.#into = into;
  }

  /** Returns the references found since the last call. */
  take(): readonly string[] {
    const wanted = this.#wanted;
    this.#wanted = [];
    return wanted;
  }

  /** Of an encrypted tree only the part in clear is scanned. */
  tree(reference: string, bytes: Buffer): void {
    const head = readHead(bytes);
    if (head) this.#clear(JSON.parse(head.clear.toString()) as ClearPart);
    else this.#parsed(reference, JSON.parse(bytes.toString()) as Node);
  }

  #parsed(reference: string, tree: Node): void {
    this.#into.trees.set(reference, tree);
    const kind = kindOf(reference);
    if (kind === "p") this.#items(tree as readonly Item[]);
    else if (kind === "l") this.#body(tree as unknown as ListBody);
    else this.node(tree);
  }

  node(node: Node): void {
    if (typeof node !== "object" || node === null) return;
    if (!isTagged(node)) {
      const file = fileDigest(node);
      if (file !== undefined) this.files.add(file);
      for (const part of Object.values(node)) this.node(part);
      return;
    }
    const reference = referenceOf(node);
    if (reference === undefined) this.#tagged(node);
    else this.#want(reference);
  }

  #tagged(node: { readonly [key: string]: Node }): void {
    const letter = node[tag];
    if (letter === "V") return;
    if (letter === encryptedTag) return this.#clear(clearPartOf(node));
    if (letter === "L" || letter === "O") this.#body(node as unknown as ListBody);
    else if (letter === "A") this.#items(node["v"] as readonly Item[]);
    else this.node(node["v"] ?? null);
    if (letter === "s") this.#into.texts.push(node);
  }

  #clear({ references = [], files = [] }: ClearPart): void {
    for (const reference of references) this.#want(reference);
    for (const file of files) this.files.add(file);
  }

  #body({ v, u }: ListBody): void {
    this.#items(v);
    if (u !== undefined) this.#want(u);
  }

  #items(items: readonly Item[]): void {
    for (const item of items) {
      if (typeof item !== "string") this.node(item);
      else if (!item.startsWith("=")) this.#want(item);
    }
  }

  #want(reference: string): void {
    const { leaves, trees, earlier } = this.#into;
    const found: Map<string, unknown> = isLeaf(reference) ? leaves : trees;
    if (found.has(reference)) return;
    const leaf = earlier?.leaves.get(reference);
    const tree = earlier?.trees.get(reference);
    if (leaf !== undefined) leaves.set(reference, leaf);
    else if (tree !== undefined) this.#parsed(reference, tree);
    else {
      found.set(reference, undefined);
      this.#wanted.push(reference);
    }
  }
}
