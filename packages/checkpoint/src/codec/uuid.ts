const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const digits = Buffer.from("0123456789abcdef");
/** The position in the text of the two digits of each byte. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const text = Buffer.alloc(36, "-");

/** Returns the 16 bytes of a UUID in lower case, undefined for any other text. Pure. */
export function uuidBytes(id: string): Buffer | undefined {
  return form.test(id) ? Buffer.from(id.replaceAll("-", ""), "hex") : undefined;
}

/**
 * The inverse of `uuidBytes`. Pure.
 *
 * Writes into one buffer: concatenating five strings takes twice as long, and keeps a tree of strings in memory.
 */
export function uuidFrom(bytes: Uint8Array): string {
  for (let index = 0; index < places.length; index++) {
    const byte = bytes[index] ?? 0;
    const place = places[index] ?? 0;
    text[place] = digits[byte >> 4] ?? 0;
    text[place + 1] = digits[byte & 15] ?? 0;
  }
  return text.toString("latin1");
}

/** True if an id sorts before another in a list of checkpoints: one that is no lower-case UUID before all that are. Pure. */
export function isEarlier(id: string, other: string): boolean {
  const isText = !form.test(id);
  if (isText === form.test(other)) return isText;
  return Buffer.compare(Buffer.from(id), Buffer.from(other)) < 0;
}

/** True for a UUID in lower case. Pure. */
export function isUuid(id: string): boolean {
  return form.test(id);
}
