import { searchHistoryTool } from "@palimpsest/langgraph";
import { RecallIndex, type RecallOptions } from "@palimpsest/recall";
import { HashedEmbeddings } from "@palimpsest/recall/internal";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { randomFrom } from "../data/random-from.js";
import { WordIndex, wordsOf } from "../policies/word-index.js";
import type { Found, Lane, Searching } from "./lane.js";
import { theirGrep, theirWholeGrep } from "./their-grep.js";
import { byScore } from "../metrics/by-score.js";

export const random: Lane = {
  name: "random (control)",
  isRandom: true,
  start: (seed) => {
    const draw = randomFrom(seed);
    return overTexts((texts) => texts.map(draw));
  },
};

export const newest: Lane = {
  name: "newest first",
  start: () => overTexts((texts) => texts.map((_, at) => at)),
};

/** BM25 over whole texts, as the published baselines have it. */
export const wholeTexts: Lane = overWholeTexts("BM25, whole steps");

/** The same; a text gets half of the score of each of its neighbours as well. */
export const wholeTextsAndNeighbours: Lane = overWholeTexts("BM25 and neighbours, whole steps", (scores) =>
  scores.map((score, at) => score + 0.5 * (scores[at - 1] ?? 0) + 0.5 * (scores[at + 1] ?? 0)),
);

const thread = "run";
const pathOf = (from: number): string => `/context/history/${String(from).padStart(6, "0")}.md`;

/** Returns the index of `search_history` with other options. */
function recallLane(name: string, options: RecallOptions = {}): Lane {
  return {
    name,
    start: () => {
      const index = RecallIndex.inMemory({ ...options, embeddingTimeout: 60_000 });
      return {
        add: (text, from) => index.addFile({ thread, path: pathOf(from), step: from, text }),
        async find(query, most) {
          const hits = await index.search(query, { thread, limit: most });
          return hits.map(({ step = 0, text }) => ({ from: step, text }));
        },
        close: () => index.close(),
      };
    },
  };
}

/** The tool itself over an archive; a hit has the lines that were said, without the tool's own words. */
export const tool: Lane = {
  name: "search_history, as the tool answers",
  isWhole: true,
  start: () => {
    const files = VirtualFilesystem.inMemory();
    const index = RecallIndex.inMemory();
    const search = searchHistoryTool({ files, index });
    const config = { configurable: { thread_id: thread } };
    const said = new Map<number, string>();
    return {
      async add(text, from) {
        said.set(from, text);
        await files.thread(thread).archive.append(pathOf(from), text);
      },
      async find(query, most) {
        const answer = String(await search.invoke({ query, limit: most }, config));
        return answer
          .split(/^## (?=\/context\/)/m)
          .slice(1)
          .map((hit) => {
            const from = Number(/history\/(\d+)/.exec(hit)?.[1]);
            const text = hit
              .split("\n")
              .filter((line) => said.get(from)?.includes(line))
              .join("\n")
              .trim();
            return { from, text };
          });
      },
      answer: async (query) => String(await search.invoke({ query }, config)),
      close: () => index.close(),
    };
  },
};

/** The index as `search_history` has it by default. */
export const ours = "BM25 and neighbours (RecallIndex)";

export const lanes: readonly Lane[] = [
  random,
  newest,
  wholeTexts,
  wholeTextsAndNeighbours,
  recallLane("BM25, passages", { neighbourShare: 0 }),
  recallLane(ours),
  tool,
  theirGrep,
  theirWholeGrep,
  recallLane("BM25 and neighbours, fused with hashed embeddings", { embeddings: new HashedEmbeddings() }),
];

function overWholeTexts(
  name: string,
  spread = (scores: readonly number[]): readonly number[] => scores,
): Lane {
  return {
    name,
    start: () => {
      const index = new WordIndex();
      const lane = overTexts((_, query) => spread(index.bm25(wordsOf(query))));
      return {
        ...lane,
        add(text, from) {
          index.add(wordsOf(text));
          return lane.add(text, from);
        },
      };
    },
  };
}

type Score = (texts: readonly Found[], query: string) => readonly number[];

function overTexts(score: Score): Searching {
  const texts: Found[] = [];
  return {
    add: (text, from) => void texts.push({ from, text }),
    find: async (query, most) => byScore(texts, score(texts, query)).slice(0, most),
  };
}
