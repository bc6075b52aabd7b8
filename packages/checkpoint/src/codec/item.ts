import { isTagged, tag } from "./node.js";
import type { Item, Node } from "./node.js";

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
