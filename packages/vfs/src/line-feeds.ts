const lineFeed = 10;

/** The index of every line feed in the bytes. */
export function* lineFeeds(bytes: Uint8Array): Iterable<number> {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = view.indexOf(lineFeed); at >= 0; at = view.indexOf(lineFeed, at + 1)) yield at;
}

/** Returns the number of lines: of line feeds, and one more when text follows the last. Pure. */
export function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (const _ of lineFeeds(bytes)) count++;
  return bytes.length === 0 || bytes[bytes.length - 1] === lineFeed ? count : count + 1;
}
