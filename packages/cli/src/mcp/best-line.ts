import type { Hit } from "@palimpsest/recall";
import { heldWeight, wordWeights } from "./word-weights.js";

/** How much the best line of a hit counts beside its rank. Measured in `evals/sessions`. */
const lineShare = 4;
/** The rank at which a hit counts half as much as the first. */
const halfAt = 10;

/**
 * Returns the hits with those first that hold the words of a question in one line: whoever looks for something word for word
 * remembers a part of a line, while a long passage of code holds the same words all over. Pure.
 */
export function bestLineFirst(hits: readonly Hit[], query: string): readonly Hit[] {
  const weights = wordWeights(hits, query);
  const all = [...weights.values()].reduce((total, one) => total + one, 0);
  if (all === 0) return hits;
  const scored = hits.map((hit, rank) => {
    const held = hit.text.split("\n").map((line) => heldWeight(weights, [line]));
    return { hit, score: (lineShare * Math.max(...held)) / all + 1 / (1 + rank / halfAt) };
  });
  return scored.toSorted((one, other) => other.score - one.score).map(({ hit }) => hit);
}
