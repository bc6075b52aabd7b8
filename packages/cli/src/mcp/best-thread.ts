import type { Hit } from "@palimpsest/recall";
import { heldWeight, wordWeights } from "./word-weights.js";

/** How much of the words of a question a thread's hits hold, beside how well they match. Measured in `evals/sessions`. */
const coverageShare = 0.6;
/** Hits of a thread add up as a norm of this power: a few good ones count, many weak ones hardly do. */
const power = 4;

/**
 * Returns the hits with the best one of the best thread first. The words of a question are often spread over several messages of
 * the thread that answers it, while another has one message with most of them. `threadOf` names the thread of a hit. Pure.
 */
export function bestThreadFirst(
  hits: readonly Hit[],
  query: string,
  threadOf: (hit: Hit) => string,
): readonly Hit[] {
  const threads = new Map<string, Hit[]>();
  for (const hit of hits) threads.set(threadOf(hit), [...(threads.get(threadOf(hit)) ?? []), hit]);
  if (threads.size < 2) return hits;
  const weights = wordWeights(hits, query);
  const [matches, covered] = [new Map<string, number>(), new Map<string, number>()];
  for (const [thread, own] of threads) {
    matches.set(thread, own.reduce((sum, { score }) => sum + score ** power, 0) ** (1 / power));
    covered.set(
      thread,
      heldWeight(
        weights,
        own.map(({ text }) => text),
      ),
    );
  }
  const [most, widest] = [Math.max(...matches.values()), Math.max(...covered.values())];
  const scoreOf = (thread: string): number =>
    (matches.get(thread) ?? 0) / (most || 1) + (coverageShare * (covered.get(thread) ?? 0)) / (widest || 1);
  const [best] = [...threads.keys()].toSorted((one, other) => scoreOf(other) - scoreOf(one));
  const first = hits.find((hit) => threadOf(hit) === best);
  return first === undefined ? hits : [first, ...hits.filter((hit) => hit !== first)];
}
