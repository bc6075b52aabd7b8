import type { ByteRange, DriverEntry, FileDriver } from "../drivers/file-driver.js";
import { decodeText, isBinary } from "./utf8.js";

/** Whole lines of a file, as many as come in one read, or one line that is longer than that. */
export interface LineBlock {
  /** Where the block begins in the file, in bytes. */
  readonly start: number;
  /** 1-based number of its first line. */
  readonly firstLine: number;
  /** With all line breaks but the last. */
  readonly text: string;
}

const lineFeed = 10;

/** The lines of a file in blocks. Yields nothing for a file whose first bytes are binary. */
export async function* readBlocks(driver: FileDriver, entry: DriverEntry): AsyncIterable<LineBlock> {
  let firstLine = 1;
  let start = 0;
  let pending: Uint8Array[] = [];
  for await (const chunk of readChunks(driver, entry)) {
    if (chunk.start === 0 && isBinary(chunk.bytes)) return;
    const cut = chunk.bytes.lastIndexOf(lineFeed) + 1;
    if (cut > 0) {
      const bytes = Buffer.concat([...pending, chunk.bytes.subarray(0, cut)]);
      yield { start, firstLine, text: decodeText(bytes.subarray(0, bytes.length - 1)) };
      firstLine += countLines(bytes);
      start = chunk.start + cut;
      pending = [];
    }
    pending.push(chunk.bytes.subarray(cut));
  }
  const rest = Buffer.concat(pending);
  if (rest.length > 0) yield { start, firstLine, text: decodeText(rest) };
}

const chunkBytes = 256 * 1024;

export interface FileChunk {
  /** Where the chunk begins in the file, in bytes. */
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** The bytes of a file, 256 KiB at a time. Ends early when the file became shorter meanwhile. */
export async function* readChunks(driver: FileDriver, entry: DriverEntry): AsyncIterable<FileChunk> {
  for (let start = 0; start < entry.size; start += chunkBytes) {
    const bytes = await driver.read(entry.path, { start, end: Math.min(start + chunkBytes, entry.size) });
    if (!bytes || bytes.length === 0) return;
    yield { start, bytes };
  }
}

/** How far past the page lines are counted for the total. */
const countAheadBytes = 64 * 1024 * 1024;

export interface FoundLines extends ByteRange {
  /** Lines in the file; undefined when the file goes on too far past the page to count them. */
  readonly totalLines: number | undefined;
}

/**
 * Returns where the lines from `first` up to `last` (0-based, exclusive) lie in a file, in bytes.
 * Streams: memory does not grow with the file.
 */
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
