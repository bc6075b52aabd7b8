import { termsOf } from "../terms.js";

/** What Postgres counts of one word; more add next to nothing to a score. */
export const mostRepeats = 255;
/** Bytes of a list of words, of which Postgres takes 1 MB. */
const mostBytes = 900_000;
const notAscii = /[^\0-\x7F]/;

/** Returns the words of a text as a `tsvector`, each as often as it stands there, and how many there are. Pure. */
export function wordVector(thread: number, text: string): { readonly vector: string; readonly size: number } {
  const terms = termsOf(text);
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  const parts: string[] = [];
  let bytes = 0;
  for (const [term, count] of counts) {
    const lexeme = lexemeOf(thread, term);
    const repeats = Math.min(count, mostRepeats);
    bytes += lexeme.length + 2 * repeats + 4;
    if (bytes > mostBytes) break;
    parts.push(`'${lexeme}':${places(repeats)}`);
  }
  return { vector: parts.join(" "), size: terms.length };
}

/**
 * Returns a word as Postgres keeps it: with its thread, so that a search reads nothing of others, and in ASCII, which every
 * encoding has. Pure.
 */
export function lexemeOf(thread: number, term: string): string {
  const plain = notAscii.test(term) ? `%${Buffer.from(term).toString("hex")}` : term;
  return `${thread.toString(36)}:${plain}`;
}

const known = ["", "1"];

/** The first so many places, for only their number is asked for. */
function places(count: number): string {
  for (let last = known.length; last <= count; last++) known.push(`${known[last - 1]},${last}`);
  return known[count] ?? "1";
}
