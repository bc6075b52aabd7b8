/**
 * Returns the same text in memory of its own.
 *
 * A slice of a long string keeps all of it alive: a thousand identifiers would hold on to every message they came from.
 */
export function detached(text: string): string {
  return text.length < 13 ? text : Buffer.from(text, "utf16le").toString("utf16le");
}
