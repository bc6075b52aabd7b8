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
