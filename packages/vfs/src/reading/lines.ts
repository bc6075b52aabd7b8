import type { ByteRange, DriverEntry, FileDriver } from "../drivers/file-driver.js";
import { decodeText, isBinary } from "./utf8.js";

/** The whole lines of one read, or a single line that is longer than one read. */
export interface LineBlock {
  /** Byte offset of the block in the file. */
  readonly start: number;
  /** 1-based number of its first line. */
  readonly firstLine: number;
  /** The lines with their line breaks, without the last line break. */
  readonly text: string;
}

const lineFeed = 10;

/** Yields the lines of a file in blocks, and nothing for a file whose first chunk is binary. */
export async function* readBlocks(driver: FileDriver, entry: DriverEntry): AsyncIterable<LineBlock> {
  let firstLine = 1;
  let start = 0;
  let pending: Uint8Array[] = [];
  // Counted only when a block follows: most files are one block.
  let before: Uint8Array = new Uint8Array();
  for await (const chunk of readChunks(driver, entry)) {
    if (chunk.start === 0 && isBinary(chunk.bytes)) return;
    const cut = chunk.bytes.lastIndexOf(lineFeed) + 1;
    if (cut > 0) {
      const bytes = Buffer.concat([...pending, chunk.bytes.subarray(0, cut)]);
      firstLine += countLines(before);
      yield { start, firstLine, text: decodeText(bytes.subarray(0, bytes.length - 1)) };
      before = bytes;
      start = chunk.start + cut;
      pending = [];
    }
    pending.push(chunk.bytes.subarray(cut));
  }
  const rest = Buffer.concat(pending);
  if (rest.length > 0) yield { start, firstLine: firstLine + countLines(before), text: decodeText(rest) };
}

const chunkBytes = 256 * 1024;

export interface FileChunk {
  /** Byte offset of the chunk in the file. */
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** Yields the bytes of a file, 256 KiB at a time. Ends early when the file has become shorter since its entry was read. */
export async function* readChunks(driver: FileDriver, entry: DriverEntry): AsyncIterable<FileChunk> {
  for (let start = 0; start < entry.size; start += chunkBytes) {
    const bytes = await driver.read(entry.path, { start, end: Math.min(start + chunkBytes, entry.size) });
    if (!bytes || bytes.length === 0) return;
    yield { start, bytes };
  }
}

/** Bytes after a page that are read to count the lines of the file. */
const countAheadBytes = 64 * 1024 * 1024;

export interface FoundLines extends ByteRange {
  /** Lines in the file; undefined when the file continues too far after the page to count them. */
  readonly totalLines: number | undefined;
}

/** Returns the byte range of the lines from `first` up to `last` (0-based, exclusive). Memory does not grow with the file. */
export async function findLines(
  driver: FileDriver,
  entry: DriverEntry,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<FoundLines> {
  let feeds = 0;
  let start = first === 0 ? 0 : entry.size;
  let end: number | undefined;
  let lineStart = 0;
  for await (const chunk of readChunks(driver, entry)) {
    if (end !== undefined && chunk.start - end > countAheadBytes)
      return { start, end, totalLines: undefined };
    for (const at of lineFeeds(chunk.bytes)) {
      feeds++;
      lineStart = chunk.start + at + 1;
      if (feeds === first) start = lineStart;
      if (feeds === last) end = lineStart;
    }
  }
  return { start, end: end ?? entry.size, totalLines: lineStart < entry.size ? feeds + 1 : feeds };
}

/** Yields the index of every line feed in the bytes. */
export function* lineFeeds(bytes: Uint8Array): Iterable<number> {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = view.indexOf(lineFeed); at >= 0; at = view.indexOf(lineFeed, at + 1)) yield at;
}

/** Returns the number of lines: the line feeds, and one more when text follows the last one. Pure. */
export function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (const _ of lineFeeds(bytes)) count++;
  return bytes.length === 0 || bytes[bytes.length - 1] === lineFeed ? count : count + 1;
}
