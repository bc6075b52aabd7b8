import { unzlibSync } from "fflate";
import { fromBase64 } from "../messages/base64.js";
import { bytesOf } from "../messages/media.js";

/** Bytes of a page where none can be read: a page of text with a small picture. */
const pageBytes = 50_000;

const page = /\/Type\s*\/Page(?![A-Za-z])/g;
/** A stream of objects, which newer files compress; pages are among them. */
const objects = /\/ObjStm\b[^]{0,400}?stream\r?\n/g;

/** Returns the pages of a PDF file; where it hides them, as in an encrypted one, an estimate by its bytes. Pure, never throws. */
export function pdfPages(base64: string): number {
  const estimate = Math.ceil(bytesOf(base64) / pageBytes);
  try {
    const bytes = fromBase64(base64);
    const text = new TextDecoder("latin1").decode(bytes);
    const plain = text.match(page)?.length ?? 0;
    const starts = [...text.matchAll(objects)].map((match) => match.index + match[0].length);
    const packed = starts.reduce((sum, start) => sum + pagesIn(bytes, start, text), 0);
    return plain + packed || estimate;
  } catch {
    return estimate;
  }
}

function pagesIn(bytes: Uint8Array, start: number, text: string): number {
  try {
    const end = text.indexOf("endstream", start);
    const inflated = unzlibSync(bytes.subarray(start, end < 0 ? undefined : end));
    return new TextDecoder("latin1").decode(inflated).match(page)?.length ?? 0;
  } catch {
    return 0;
  }
}
