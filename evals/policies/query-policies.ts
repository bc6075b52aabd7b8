import type { Chunk } from "../data/chunks.js";
import { budgetedPolicy, type Selection } from "./budgeted-policy.js";
import type { ChunkLog } from "./chunk-log.js";
import { WordIndex, wordsOf } from "./word-index.js";

type Rank = (index: WordIndex, query: readonly string[]) => readonly number[];

const byBm25: Rank = (index, query) => index.bm25(query);
/** Characters of a text that are looked at, in queries and in chunks. */
const most = { goal: 4_000, chunk: 8_000 };

/** Chunks that share rare words with the goal and the last two chunks. */
export const bm25 = queryPolicy("BM25", byBm25);

/** The same by tf-idf cosine. */
export const cosine = queryPolicy("tf-idf cosine", (index, query) => index.cosine(query));

/** Half of the budget by recency, the rest by BM25. */
export const halfRecencyHalfBm25 = queryPolicy("recency/2 + BM25/2", byBm25, { recentShare: 0.5 });

function queryPolicy(name: string, rank: Rank, { recentShare = 0 } = {}) {
  return budgetedPolicy({
    name,
    start({ budget }) {
      const index = new WordIndex();
      return {
        add: (chunks) => chunks.forEach(({ text }) => index.add(wordsOf(text.slice(0, most.chunk)))),
        fill(selection) {
          const { log, take } = selection;
          if (recentShare > 0) takeRecent(selection, budget * (1 - recentShare));
          for (const chunk of ranked(log, rank(index, wordsOf(queryOf(log))))) take(chunk);
        },
      };
    },
  });
}

/** Takes the newest chunks while more than `free` tokens remain. */
function takeRecent({ log, left, take }: Selection, free: number): void {
  for (const chunk of log.chunks.toReversed()) {
    if (left() - chunk.tokens >= free) take(chunk);
  }
}

function queryOf({ firstUser, chunks }: ChunkLog): string {
  const goal = firstUser?.text.slice(0, most.goal) ?? "";
  return [goal, ...chunks.slice(-2).map(({ text }) => text.slice(0, most.chunk))].join("\n");
}

function ranked({ chunks }: ChunkLog, scores: readonly number[]): readonly Chunk[] {
  return chunks.toSorted((one, other) => (scores[other.index] ?? 0) - (scores[one.index] ?? 0));
}
