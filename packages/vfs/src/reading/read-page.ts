import { isUtf8 } from "node:buffer";
import type { ReadBytesResult, ReadRawResult, ReadResult } from "../backend.js";
import type { ByteRange, DriverEntry, FileDriver } from "../drivers/file-driver.js";
import { FileError } from "../errors.js";
import { readWhole } from "./find-files.js";
import { findLines } from "./lines.js";
import { isTextMimeType, mimeType } from "./mime-type.js";
import { decodeText, isBinary, nextCharacter, snapToCharacter } from "./utf8.js";

export interface PageLinesOptions {
  /** Lines to skip. */
  readonly offset: number;
  /** The most lines of the page. */
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
 * Returns the byte range of a page of lines, and the numbers of its lines. A negative or fractional option counts as the
 * nearest valid one. Throws a FileError "not-found" when the offset is past the last line.
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

/** Returns a page of lines of a text file, or all bytes of a binary file. Throws as `pageLines` does. */
export async function readPage(
  driver: FileDriver,
  entry: DriverEntry,
  options: PageLinesOptions,
): Promise<ReadResult> {
  const type = mimeType(entry.path);
  if (!isTextMimeType(type)) return { content: await readWhole(driver, entry.path), mimeType: type };
  const { range, ...numbers } = await pageLines(driver, entry, options);
  const bytes = (await driver.read(entry.path, range)) ?? new Uint8Array();
  if (isBinary(bytes)) {
    return { content: await readWhole(driver, entry.path), mimeType: "application/octet-stream" };
  }
  const note = `${entry.path} contains bytes that are not UTF-8. They are shown as \uFFFD.`;
  return { content: decodeText(bytes), mimeType: type, ...numbers, ...(isUtf8(bytes) ? {} : { note }) };
}

const margin = 4;

/**
 * Returns the text of a byte range, with both ends moved back to the start of a character, and the actual range. A range
 * inside one character returns that character. Throws a FileError "invalid-path" for an invalid range.
 */
export async function pageBytes(
  driver: FileDriver,
  entry: DriverEntry,
  range: ByteRange,
): Promise<Required<Pick<ReadBytesResult, "content" | "range" | "size">>> {
  checkRange(entry, range);
  const base = Math.max(0, range.start - margin);
  const bytes = (await driver.read(entry.path, { start: base, end: range.end + margin })) ?? new Uint8Array();
  const start = snapToCharacter(bytes, Math.min(range.start - base, bytes.length));
  const wanted = Math.min(range.end - base, bytes.length);
  const snapped = snapToCharacter(bytes, wanted);
  const end = snapped > start || wanted <= start ? Math.max(snapped, start) : nextCharacter(bytes, start);
  return {
    content: decodeText(bytes.subarray(start, end)),
    range: { start: base + start, end: base + end },
    size: entry.size,
  };
}

function checkRange({ path, size }: DriverEntry, range: ByteRange): void {
  const { start, end } = range ?? {};
  if (Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && start <= size) return;
  throw new FileError(
    "invalid-path",
    `${start} to ${end} is not a byte range of ${path}, which has ${size} bytes. Use whole numbers, start before end.`,
  );
}

/** Returns a whole file: text when all its bytes are UTF-8, else the bytes, so that no byte is replaced. */
export async function readRaw(driver: FileDriver, { path, modifiedAt }: DriverEntry): Promise<ReadRawResult> {
  const bytes = await readWhole(driver, path);
  const type = mimeType(path);
  const isText = isTextMimeType(type) && isUtf8(bytes);
  return {
    data: {
      content: isText ? decodeText(bytes) : bytes,
      mimeType: isText || !isTextMimeType(type) ? type : "application/octet-stream",
      created_at: modifiedAt,
      modified_at: modifiedAt,
    },
  };
}
