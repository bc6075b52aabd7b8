import type { Hit } from "@palimpsest/recall";
import { questionTerms, stemmedWords } from "@palimpsest/recall/internal";
import { familyOf } from "./word-families.js";

/** Words of a question by their families, each with its weight. */
export type WordWeights = ReadonlyMap<string, number>;

/** Returns the words of a question, each with more weight the fewer hits hold it. Pure. */
export function wordWeights(hits: readonly Hit[], query: string): WordWeights {
  const texts = hits.map(({ text }) => familiesIn(text));
  return new Map(
    questionTerms(query).map((word) => {
      const family = familyOf(word);
      const holding = texts.filter((text) => text.has(family)).length;
      return [family, Math.log(1 + hits.length / (holding + 0.5))];
    }),
  );
}

/** Returns the weight of the words that texts hold together. Pure. */
export function heldWeight(weights: WordWeights, texts: readonly string[]): number {
  const held = texts.map(familiesIn);
  let sum = 0;
  for (const [family, weight] of weights) if (held.some((text) => text.has(family))) sum += weight;
  return sum;
}

function familiesIn(text: string): ReadonlySet<string> {
  return new Set(stemmedWords(text).map(familyOf));
}
