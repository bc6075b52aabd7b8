import type { ByteRange, DriverEntry, FileDriver } from "./file-driver.js";
import { lineFeeds } from "./line-feeds.js";
import { readChunks } from "./read-chunks.js";

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
