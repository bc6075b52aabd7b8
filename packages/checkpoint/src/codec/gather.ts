import { isTagged, tag } from "./node.js";
import type { Item, ListBody, Node } from "./node.js";
import { referenceOf } from "./item.js";
import { addressIn, digestIn, kindOf } from "./reference.js";

/** Gives the blobs with these digests, in their order. Throws when one is not there. */
export type LoadBlobs = (digests: readonly string[]) => Promise<readonly Buffer[]>;

const perLoad = 1024;

/** Hands over the blobs at addresses. While one part is unpacked, off this thread, the next is read. */
async function loadAll(
  addresses: readonly string[],
  load: LoadBlobs,
  add: (address: string, bytes: Buffer) => void,
): Promise<void> {
  let start = 0;
  const next = ():
    | { readonly part: readonly string[]; readonly blobs: Promise<readonly Buffer[]> }
    | undefined => {
    if (start >= addresses.length) return undefined;
    const part = addresses.slice(start, start + perLoad);
    start += perLoad;
    const blobs = load(part.map(digestIn));
    // Awaited in the next round. Until then a failure of it is nobody's.
    blobs.catch(() => undefined);
    return { part, blobs };
  };
  for (let current = next(); current;) {
    const following = next();
    const blobs = await current.blobs;
    for (const [position, bytes] of blobs.entries()) add(current.part[position] ?? "", bytes);
    current = following;
  }
}

/** What was loaded, by kind and digest. */
export interface Gathered {
  /** Blobs that hold no references. */
  readonly blobs: Map<string, Buffer>;
  /** Blobs that do, parsed. */
  readonly trees: Map<string, Node>;
  /** The nodes that only the host's serializer brings back. */
  readonly texts: { readonly [key: string]: Node }[];
}

/** Loads what nodes refer to, and what that refers to, one read for each level. */
export async function gather(nodes: readonly Node[], into: Gathered, load: LoadBlobs): Promise<void> {
  const scan = new Scan(into);
  for (const node of nodes) scan.node(node);
  for (let wanted = scan.take(); wanted.size > 0; wanted = scan.take()) {
    await loadAll([...wanted], load, (address, bytes) => scan.add(address, bytes));
  }
}

/**
 * Returns every digest that nodes reach. A generator, so that engines with and without promises can walk alike: it yields
 * the digests of the trees to be loaded and takes them as they were before they were packed.
 */
export function* reach(
  nodes: readonly Node[],
): Generator<readonly string[], ReadonlySet<string>, ReadonlyMap<string, Buffer>> {
  const reached = new Set<string>();
  const into: Gathered = { blobs: new Map(), trees: new Map(), texts: [] };
  const scan = new Scan(into);
  for (const node of nodes) scan.node(node);
  for (let wanted = scan.take(); wanted.size > 0; wanted = scan.take()) {
    for (const address of wanted) reached.add(digestIn(address));
    const trees = [...wanted].filter((address) => !isLeaf(address));
    const loaded = yield [...new Set(trees.map(digestIn))];
    for (const address of trees) {
      const bytes = loaded.get(digestIn(address));
      if (bytes) scan.add(address, bytes);
    }
    for (const address of wanted) if (isLeaf(address)) into.blobs.set(address, nothing);
  }
  return reached;
}

const nothing = Buffer.alloc(0);

function isLeaf(address: string): boolean {
  return "mtb".includes(kindOf(address));
}

class Scan {
  readonly #into: Gathered;
  #wanted = new Set<string>();

  constructor(into: Gathered) {
    this.#into = into;
  }

  /** Returns the addresses that were met since, and are not loaded. */
  take(): Set<string> {
    const wanted = this.#wanted;
    this.#wanted = new Set();
    return wanted;
  }

  add(address: string, bytes: Buffer): void {
    if (isLeaf(address)) {
      this.#into.blobs.set(address, bytes);
      return;
    }
    const tree: Node = JSON.parse(bytes.toString());
    this.#into.trees.set(address, tree);
    const kind = kindOf(address);
    if (kind === "p") this.#items(tree as readonly Item[]);
    else if (kind === "l") this.#body(tree as unknown as ListBody);
    else this.node(tree);
  }

  node(node: Node): void {
    if (typeof node !== "object" || node === null) return;
    if (!isTagged(node)) {
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
    if (letter === "L" || letter === "O") this.#body(node as unknown as ListBody);
    else if (letter === "A") this.#items(node["v"] as readonly Item[]);
    else this.node(node["v"] ?? null);
    if (letter === "s") this.#into.texts.push(node);
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
    const address = addressIn(reference);
    const { blobs, trees } = this.#into;
    if (!blobs.has(address) && !trees.has(address)) this.#wanted.add(address);
  }
}
