import type { ClearPart, Scan } from "../gather.js";
import { isForeign, isTagged, referenceOf, tag } from "../node.js";
import type { Item, ListBody, Node } from "../node.js";
import type { BlobKind } from "../reference.js";

/** Returns what a scan has found, as the part in clear. */
export function clearPart(scan: Scan): ClearPart {
  return { references: scan.take(), files: [...scan.files] };
}

/** Returns true for a tree of nothing but references. Pure. */
export function isStructuralTree(kind: BlobKind, tree: Node): boolean {
  if (kind === "p") return (tree as readonly Item[]).every(isReference);
  if (kind === "l") return (tree as unknown as ListBody).v.every(isReference);
  return isStructure(tree);
}

/**
 * Returns true for a node without content: references, booleans, null and undefined. A value that another saver stored before it was
 * wrapped counts as one: its bytes are with that saver. Pure.
 */
export function isStructure(node: Node): boolean {
  if (typeof node !== "object" || node === null) return typeof node === "boolean" || node === null;
  if (!isTagged(node)) return false;
  if (referenceOf(node) !== undefined || node[tag] === "u" || isForeign(node)) return true;
  const { [tag]: letter, v } = node;
  return (letter === "L" || letter === "A") && (v as readonly Item[]).every(isReference);
}

/** An item of a list: a text begins with `=`. */
function isReference(item: Item): boolean {
  return typeof item === "string" && !item.startsWith("=");
}
