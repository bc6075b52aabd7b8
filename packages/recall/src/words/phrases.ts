import type { ScoredId } from "../passage.js";
import { best } from "./ranking.js";
import { stemmedWords } from "./terms.js";

/** What a passage with all phrases of a question gains, in times its score (evals, facts and locomo). */
const phraseWeight = 2;

/**
 * Returns a ranking with a bonus for phrases of the question: if many passages contain its words, the answer is probably in one
 * that has them side by side (sequential dependence, Metzler and Croft, SIGIR 2005). A score grows by twice the share of the
 * question's phrases that its passage contains. Ids without a text keep their score. Pure.
 */
export function byPhrases(
  found: readonly ScoredId[],
  texts: ReadonlyMap<number, string>,
  query: string,
): ScoredId[] {
  const asked = pairsOf(query);
  if (asked.size === 0) return [...found];
  const scores = found.map(({ id, score }): [number, number] => {
    const there = pairsOf(texts.get(id) ?? "");
    const shared = [...asked].filter((pair) => there.has(pair)).length;
    return [id, score * (1 + (phraseWeight * shared) / asked.size)];
  });
  return best(new Map(scores));
}

/** Stop words count here: they tell "budget of Porto" from a line that has both words. */
function pairsOf(text: string): ReadonlySet<string> {
  const terms = stemmedWords(text);
  return new Set(terms.slice(1).map((term, at) => `${terms[at]} ${term}`));
}
