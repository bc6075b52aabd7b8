import { isUtf8 } from "node:buffer";
import type { Place } from "./session-event.js";

/** Bytes of a file, and the value that they hold. */
export interface RawRecord {
  readonly place: Place;
  readonly bytes: Uint8Array;
  /** The parsed JSON; undefined with a `problem`, and for an empty line. */
  readonly value?: unknown;
  /** Why there is no value. */
  readonly problem?: string;
  /** The file ends in the middle of the record. */
  readonly isUnfinished?: boolean;
  /** More of a line that is too long, after a record with its beginning and the problem. */
  readonly isRest?: boolean;
}

/** Maximum bytes of a record that is parsed. A longer one is passed on in pieces, so that memory stays bounded. */
export const maxRecordBytes = 64 * 1024 * 1024;

/** Maximum bytes of the parts in which the rest of a longer line is passed on. */
const restBytes = 1024 * 1024;

/** Maximum bytes of a file that is one JSON value on several lines. */
const maxDocumentBytes = 256 * 1024 * 1024;

const newline = 0x0a;

/**
 * Yields the records of a file: its lines, or the whole file if it is one JSON value on several lines. The bytes of all records
 * together are those of the file. Never throws of its own accord; holds one record in memory.
 */
export async function* readRecords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<RawRecord> {
  const pieces = linesOf(chunks);
  const first: Piece[] = [];
  // A loop that is left would close the generator.
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    first.push(next.value);
    if (!isBlank(next.value.bytes)) break;
  }
  const head = first.at(-1);
  if (head !== undefined && opensDocument(head)) {
    yield* documentOf(first, pieces);
    return;
  }
  for (const piece of first) yield recordOf(piece);
  for await (const piece of pieces) yield recordOf(piece);
}

/** A line with its line break, or a part of one that is longer than a record may be. */
interface Piece {
  readonly place: Place;
  readonly bytes: Uint8Array;
  readonly isPart: boolean;
  /** A part that is not the first. */
  readonly isRest: boolean;
  readonly hasEnd: boolean;
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  let [offset, line] = [0, 1];
  let pending: Uint8Array[] = [];
  let size = 0;
  let isRest = false;
  const take = (hasEnd: boolean): Piece => {
    const bytes = pending.length === 1 ? (pending[0] as Uint8Array) : Buffer.concat(pending, size);
    const isPart = isRest || (!hasEnd && size >= maxRecordBytes);
    const piece = { place: { line, offset, bytes: size }, bytes, isPart, isRest, hasEnd };
    offset += size;
    [pending, size] = [[], 0];
    return piece;
  };
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf(newline, at);
      const room = (isRest ? restBytes : maxRecordBytes) - size;
      const until = Math.min(end < 0 ? chunk.length : end + 1, at + room);
      const isFull = until - at === room;
      pending.push(chunk.subarray(at, until));
      size += until - at;
      at = until;
      if (end >= 0 && until === end + 1) {
        yield take(true);
        line += 1;
        isRest = false;
      } else if (isFull) {
        yield take(false);
        isRest = true;
      }
    }
  }
  if (size > 0) yield take(false);
}

function recordOf({ place, bytes, isPart, isRest, hasEnd }: Piece): RawRecord {
  if (isRest) return { place, bytes, isRest };
  if (isPart) {
    const problem = `it is longer than ${maxRecordBytes / 1024 ** 2} MB; its bytes are kept, but not read`;
    return { place, bytes, problem };
  }
  if (isBlank(bytes)) return { place, bytes };
  const read = parse(bytes);
  if ("value" in read) return { place, bytes, value: read.value };
  if (hasEnd) return { place, bytes, problem: read.problem };
  const problem = `the file ends in the middle of it: it is still being written, or was cut off (${read.problem})`;
  return { place, bytes, problem, isUnfinished: true };
}

function parse(bytes: Uint8Array): { readonly value: unknown } | { readonly problem: string } {
  if (!isUtf8(bytes)) return { problem: "it is not UTF-8 text" };
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
    // Some editors put a byte order mark before the first line.
    return { value: JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text) };
  } catch (error) {
    return { problem: `it is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** True for the first line of JSON that is printed on several lines: it ends where a value goes on. */
function opensDocument({ bytes, isPart }: Piece): boolean {
  if (isPart || bytes.length > 10_000) return false;
  return /^\s*[[{]([^]*[[{,])?\s*$/u.test(Buffer.from(bytes).toString("utf8")) && "problem" in parse(bytes);
}

async function* documentOf(first: Piece[], rest: AsyncIterable<Piece>): AsyncGenerator<RawRecord> {
  const all = [...first];
  let size = all.reduce((sum, { bytes }) => sum + bytes.length, 0);
  let isTooLarge = false;
  for await (const piece of rest) {
    if (!isTooLarge) {
      all.push(piece);
      size += piece.bytes.length;
      isTooLarge = size > maxDocumentBytes;
      if (isTooLarge) for (const one of all) yield recordOf(one);
    } else yield recordOf(piece);
  }
  if (isTooLarge) return;
  const bytes = Buffer.concat(all.map((piece) => piece.bytes));
  const read = parse(bytes);
  const place = { line: 1, offset: 0, bytes: bytes.length };
  if ("value" in read) yield { place, bytes, value: read.value };
  // Lines may still be readable one by one.
  else for (const piece of all) yield recordOf(piece);
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === newline || byte === 0x20 || byte === 0x0d || byte === 0x09);
}
