import type { ScoredId } from "../passage.js";
import { best } from "./ranking.js";
import { stemmedWords } from "./terms.js";

/** What a passage with all phrases of a question gains, in times its score (evals, facts and locomo). */
const phraseWeight = 2;

/**
 * Returns a ranking with a bonus for phrases of the question: if many passages contain its words, the answer is probably in one
 * that has them side by side (sequential dependence, Metzler and Croft, SIGIR 2005). A phrase weighs more the fewer of the
 * texts contain it, and nothing if none does, so that "let me look" does not count as much as a name. A score grows by twice the
 * share of the weights that its passage contains. Ids without a text keep their score. Pure.
 */
export function byPhrases(
  found: readonly ScoredId[],
  texts: ReadonlyMap<number, string>,
  query: string,
): ScoredId[] {
  const asked = pairsOf(query);
  if (asked.size === 0) return [...found];
  const shared = new Map(
    [...texts].map(([id, text]) => [id, [...pairsOf(text)].filter((pair) => asked.has(pair))]),
  );
  const weights = rarities([...shared.values()]);
  const sum = sumOf([...weights.keys()], weights);
  if (sum === 0) return [...found];
  const scores = found.map(({ id, score }): [number, number] => [
    id,
    score * (1 + (phraseWeight * sumOf(shared.get(id) ?? [], weights)) / sum),
  ]);
  return best(new Map(scores));
}

/** Returns the inverse document frequency of each phrase, above 0. */
function rarities(texts: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const pair of texts.flat()) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  return new Map(
    [...counts].map(([pair, count]) => [pair, Math.log1p((texts.length - count + 0.5) / (count + 0.5))]),
  );
}

function sumOf(pairs: readonly string[], weights: ReadonlyMap<string, number>): number {
  return pairs.reduce((sum, pair) => sum + (weights.get(pair) ?? 0), 0);
}

/** Stop words count here: they tell "budget of Porto" from a line that has both words. */
function pairsOf(text: string): ReadonlySet<string> {
  const terms = stemmedWords(text);
  return new Set(terms.slice(1).map((term, at) => `${terms[at]} ${term}`));
}
