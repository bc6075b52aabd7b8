import { isUtf8 } from "node:buffer";
import type { ReadResult } from "./backend.js";
import { decodeText } from "./decode-text.js";
import type { DriverEntry, FileDriver } from "./file-driver.js";
import { isBinary } from "./is-binary.js";
import { isTextMimeType, mimeType } from "./mime-type.js";
import { pageLines } from "./page-lines.js";
import type { PageLinesOptions } from "./page-lines.js";
import { readWhole } from "./read-whole.js";

/** Returns a page of lines of a text file, or all bytes of a binary one. Throws as pageLines does. */
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
  const note = `${entry.path} is not UTF-8 throughout: what is not is shown as \uFFFD.`;
  return { content: decodeText(bytes), mimeType: type, ...numbers, ...(isUtf8(bytes) ? {} : { note }) };
}
