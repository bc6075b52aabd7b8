/** Passages, and the sum of their terms. */
export interface Totals {
  readonly passages: number;
  readonly words: number;
}

interface ScoredTerm {
  /** The score that SQLite gives a passage for one term, with the totals of the whole file. */
  readonly score: number;
  /** Terms of the passage. */
  readonly size: number;
  /** Passages with the term, all of one thread. */
  readonly count: number;
}

const k1 = 1.2;
const b = 0.75;

/**
 * Returns the score that a passage has for a term in an index of its thread alone (BM25, k1 1.2, b 0.75).
 *
 * SQLite weighs a term by the passages of the whole file, which would show one thread how much the others hold. The number of
 * times that the passage has the term follows from that score. Pure.
 */
export function ownScore({ score, size, count }: ScoredTerm, all: Totals, own: Totals): number {
  const shared = Math.min(k1 + 1 - 1e-9, score / idf(all.passages, count));
  const times = Math.max(1, Math.round((shared * saturation(size, all)) / (k1 + 1 - shared)));
  return (idf(own.passages, count) * times * (k1 + 1)) / (times + saturation(size, own));
}

function saturation(size: number, { passages, words }: Totals): number {
  return k1 * (1 - b + (b * size * passages) / words);
}

/** The inverse document frequency of SQLite: never 0, so that frequent terms match too. */
function idf(passages: number, count: number): number {
  const weight = Math.log((passages - count + 0.5) / (count + 0.5));
  return weight > 0 ? weight : 1e-6;
}

/** Returns the variable-length integers of SQLite in a blob. Pure. */
export function varints(bytes: Uint8Array): readonly number[] {
  const found: number[] = [];
  let [value, length] = [0, 0];
  for (const byte of bytes) {
    // The ninth byte has no flag.
    value = ++length === 9 ? value * 256 + byte : value * 128 + (byte & 127);
    if (length < 9 && byte > 127) continue;
    found.push(value);
    [value, length] = [0, 0];
  }
  return found;
}
