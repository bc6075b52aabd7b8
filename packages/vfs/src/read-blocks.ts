import { decodeText } from "./decode-text.js";
import type { DriverEntry, FileDriver } from "./file-driver.js";
import { isBinary } from "./is-binary.js";
import { countLines } from "./line-feeds.js";
import { readChunks } from "./read-chunks.js";

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
