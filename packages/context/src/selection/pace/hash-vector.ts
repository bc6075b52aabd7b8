import { words } from "../../retention/importance.js";

/** Numbers of a vector. */
const size = 512;

/**
 * Returns the vector of a text that needs no encoder: each word hashed to one of 512 places with `1 + ln count`, length 1.
 *
 * Pure. `weigh` scales a word, such as by how rare it is; an empty text has a zero vector.
 */
export function hashVector(text: string, weigh: (word: string) => number = one): readonly number[] {
  const counts = new Map<string, number>();
  for (const word of words(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const vector = Array.from({ length: size }, () => 0);
  for (const [word, count] of counts) {
    const hash = hashOf(word);
    const at = (hash >>> 1) % size;
    const sign = (hash & 1) === 0 ? 1 : -1;
    vector[at] = (vector[at] ?? 0) + sign * (1 + Math.log(count)) * weigh(word);
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}

function one(): number {
  return 1;
}

/** FNV-1a. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
