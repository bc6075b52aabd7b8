const brace = "{".charCodeAt(0);
const bracket = "[".charCodeAt(0);

/**
 * Returns true for bytes that look like a tree, whose blobs are read before what they refer to. They begin as JSON does, and
 * not with the name of a class, as messages do. A guess: a text may look like it. Pure.
 */
export function isTree(bytes: Buffer): boolean {
  return bytes[0] === brace || (bytes[0] === bracket && !/^\["[A-Z]/.test(bytes.toString("latin1", 0, 3)));
}
