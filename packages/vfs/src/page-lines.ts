import type { ByteRange, DriverEntry, FileDriver } from "./file-driver.js";
import { FileError } from "./file-error.js";
import { findLines } from "./find-lines.js";

export interface PageLinesOptions {
  /** Lines to pass over. */
  readonly offset: number;
  /** Lines in the page at most. */
  readonly limit: number;
}

export interface LinePage {
  readonly range: ByteRange;
  readonly totalLines?: number;
  readonly startLine?: number;
  readonly endLine?: number;
  readonly nextOffset?: number;
}

/**
 * Returns where a page of lines lies in a file, and the numbers of its lines.
 * Throws a FileError "not-found" when the offset is past the last line. Strange numbers count as the nearest sensible ones.
 */
export async function pageLines(
  driver: FileDriver,
  entry: DriverEntry,
  options: PageLinesOptions,
): Promise<LinePage> {
  const first = toCount(options.offset);
  const last = first + toCount(options.limit);
  const { start, end, totalLines } = await findLines(driver, entry, { first, last });
  if (totalLines !== undefined && first > 0 && first >= totalLines) {
    throw new FileError(
      "not-found",
      `Line offset ${first} is past the end of ${entry.path}, which has ${totalLines} lines. ` +
        `Use an offset from 0 to ${Math.max(0, totalLines - 1)}.`,
    );
  }
  const known = totalLines === undefined ? {} : { totalLines };
  if (first === last || entry.size === 0) return { range: { start, end: start }, ...known };
  const endLine = Math.min(last, totalLines ?? last);
  const next = end < entry.size ? { nextOffset: last } : {};
  return { range: { start, end }, ...known, startLine: first + 1, endLine, ...next };
}

function toCount(value: number): number {
  return value > 0 ? Math.floor(value) : 0;
}
