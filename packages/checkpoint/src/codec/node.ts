/** An encoded value: plain JSON. An object with the key `@` is a tag; the first letter of its value is the kind. */
export type Node = null | boolean | number | string | readonly Node[] | { readonly [key: string]: Node };

/** The key that marks a tag. A user's object with this key is encoded as a list of entries. */
export const tag = "@";

/** The tag of an encrypted node. `v` is its content in base64, `r` its references, `f` its digests of workspace files. */
export const encryptedTag = "e";

/** An item of a list: a reference, a string prefixed with `=`, or any other node. */
export type Item = Node;

/** A list: `n` is the number of items, `v` the open tail, `u` the reference to the list of closed pages. */
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

/** Returns a node as an item of a list, in which references need no tag. Pure. */
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

/** Returns the reference in a node, undefined for another node. Tags of other kinds have one letter. Pure. */
export function referenceOf(node: Node): string | undefined {
  if (!isTagged(node)) return undefined;
  const mark = node[tag];
  return typeof mark === "string" && mark.length > 1 ? mark : undefined;
}

/** Returns true for a value that another saver stored before it was wrapped. Pure. */
export function isForeign(node: Node): boolean {
  return isTagged(node) && node[tag] === "V";
}

/** Returns the digest of a workspace file's content when an object is an entry of a `files` channel. Pure. */
export function fileDigest(value: object): string | undefined {
  if (!("digest" in value && "size" in value && "lines" in value && "modifiedAt" in value)) return undefined;
  const { digest } = value;
  return typeof digest === "string" && fileDigestForm.test(digest) ? digest : undefined;
}
