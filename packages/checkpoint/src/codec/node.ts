/** An encoded value: plain JSON. An object with the key `@` is a tag; its first letter says what it stands for. */
export type Node = null | boolean | number | string | readonly Node[] | { readonly [key: string]: Node };

/** The key that marks a tag. User data with such a key is written in another form. */
export const tag = "@";

/** An item of a list: a reference as it stands, an inline text behind `=`, or any other node. */
export type Item = Node;

/** A list without its closed pages: `n` items in all, the open tail `v`, and behind `u` the list of the pages. */
export interface ListBody {
  readonly n: number;
  readonly v: readonly Item[];
  readonly u?: string;
}

const fileDigestForm = /^[0-9a-f]{64}$/;

/** Values whose JSON is longer than this many characters become blobs. */
export const blobThreshold = 512;

/** Arrays of this many items are paged. */
export const pagedFrom = 8;

/** Plain objects of this many keys are paged lists of their entries. */
export const recordFrom = 64;

/** Returns true for a tagged node. Pure. */
export function isTagged(node: Node): node is { readonly [key: string]: Node } {
  return typeof node === "object" && node !== null && !Array.isArray(node) && Object.hasOwn(node, tag);
}

/** Returns a node as it stands in a list, where references need no tag. Pure. */
export function asItem(node: Node): Item {
  if (typeof node === "string") return `=${node}`;
  const reference = referenceOf(node);
  return reference === undefined ? node : reference;
}

/** Returns the node of an item. Pure. */
export function asNode(item: Item): Node {
  if (typeof item !== "string") return item;
  return item.startsWith("=") ? item.slice(1) : { [tag]: item };
}

/** Returns the reference that a node is, if it is one: tags of other kinds have one letter. Pure. */
export function referenceOf(node: Node): string | undefined {
  if (!isTagged(node)) return undefined;
  const mark = node[tag];
  return typeof mark === "string" && mark.length > 1 ? mark : undefined;
}

/** Returns true for a value that another saver stored as it is, before that saver was wrapped. Pure. */
export function isForeign(node: Node): boolean {
  return isTagged(node) && node[tag] === "V";
}

/** Returns the digest of a workspace file's content when an object is an entry of a `files` channel. Pure. */
export function fileDigest(value: object): string | undefined {
  if (!("digest" in value && "size" in value && "lines" in value && "modifiedAt" in value)) return undefined;
  const { digest } = value;
  return typeof digest === "string" && fileDigestForm.test(digest) ? digest : undefined;
}
