const brace = "{".charCodeAt(0);
const bracket = "[".charCodeAt(0);

/**
 * Returns what bytes look like: a page of a list, another tree, or a leaf. Trees refer to blobs, which are read after them;
 * they begin as JSON does, and not with the name of a class, as messages do. A guess: a text may look like one. Pure.
 */
export function looksLike(bytes: Buffer): "page" | "tree" | "leaf" {
  if (bytes[0] === brace) return "tree";
  return bytes[0] === bracket && !/^\["[A-Z]/.test(bytes.toString("latin1", 0, 3)) ? "page" : "leaf";
}
