import type { PostgresRow } from "@palimpsest/sql";
import type { PassageFilter, StoredPassage } from "../../passage.js";
import { termsOf } from "../../words/terms.js";

/**
 * Returns a filter without its thread as SQL conditions on `passages p`, with values numbered from `from`; "" for an empty
 * filter. Pure.
 */
export function conditions(
  { kind, path, except = [], steps }: PassageFilter,
  from: number,
): { readonly where: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [];
  const next = (value: unknown): string => `$${from - 1 + values.push(value)}`;
  let where = "";
  if (kind !== undefined) where += ` AND p.kind = ${next(bytes(kind))}`;
  if (path !== undefined) {
    const start = next(bytes(path));
    where += ` AND ${beginning(start)} = ${start}`;
  }
  for (const prefix of except) {
    const start = next(bytes(prefix));
    where += ` AND ${beginning(start)} <> ${start}`;
  }
  if (steps !== undefined) where += ` AND p.step BETWEEN ${next(steps[0])} AND ${next(steps[1])}`;
  return { where, values };
}

export function toPassage({ id, path, line, kind, step, text }: PostgresRow, thread: string): StoredPassage {
  return {
    id: Number(id),
    thread,
    path: textOf(path),
    line: Number(line),
    kind: textOf(kind),
    text: textOf(text),
    ...(step === null ? {} : { step: Number(step) }),
  };
}

/** Returns the bytes that store a text. Pure. */
export function bytes(text: string): Buffer {
  return Buffer.from(text);
}

/** Returns the text of stored bytes. Pure. */
export function textOf(stored: unknown): string {
  return (stored as Buffer).toString();
}

/** The most positions of a term that Postgres stores. More hardly change a score. */
export const maxRepeats = 255;
/** The most bytes of a `tsvector`; the limit of Postgres is 1 MB. */
const maxBytes = 900_000;
const notAscii = /[^\0-\x7F]/;

/** Returns the terms of a text as a `tsvector` with one position for each occurrence, and the number of terms. Pure. */
export function wordVector(thread: number, text: string): { readonly vector: string; readonly size: number } {
  const terms = termsOf(text);
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  const parts: string[] = [];
  let bytes = 0;
  for (const [term, count] of counts) {
    const lexeme = lexemeOf(thread, term);
    const repeats = Math.min(count, maxRepeats);
    bytes += lexeme.length + 2 * repeats + 4;
    if (bytes > maxBytes) break;
    parts.push(`'${lexeme}':${places(repeats)}`);
  }
  return { vector: parts.join(" "), size: terms.length };
}

/**
 * Returns a term as a lexeme: prefixed with its thread, so that a search reads nothing of other threads, and in ASCII, which
 * every database encoding contains. Pure.
 */
export function lexemeOf(thread: number, term: string): string {
  const plain = notAscii.test(term) ? `%${Buffer.from(term).toString("hex")}` : term;
  return `${thread.toString(36)}:${plain}`;
}

const known = ["", "1"];

/** Returns the positions from 1 to `count`. Only their number matters. */
function places(count: number): string {
  for (let last = known.length; last <= count; last++) known.push(`${known[last - 1]},${last}`);
  return known[count] ?? "1";
}

/** Returns the SQL of the beginning of a path that is as long as the value at a place. Pure. */
function beginning(place: string): string {
  return `substring(p.path from 1 for octet_length(${place}::bytea))`;
}
