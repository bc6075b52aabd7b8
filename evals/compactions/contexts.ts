import type { BaseMessage } from "@langchain/core/messages";
import { defaults, tokenCounterFrom } from "@palimpsest/context";
import { compactionNode, searchHistoryTool } from "@palimpsest/langgraph";
import { RecallIndex } from "@palimpsest/recall";
import { NodeThread } from "../metrics/node-thread.js";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { charsOverFour, textOf } from "../data/text-of.js";
import { fitted, randomLines } from "./fitted-context.js";
import type { PlayedCompaction } from "./played-compaction.js";

/** What could have stood in the context after a compaction. */
export interface Replacement {
  readonly way: string;
  readonly size: "recorded" | "default";
  /** One text for each draw; all but the random control have one. */
  readonly texts: readonly string[];
}

export interface Replacements {
  readonly all: readonly Replacement[];
  /** Answers what an agent asks `search_history` of the archive of the context at the default size. */
  readonly search: (query: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

export const ways = {
  recorded: "recorded summary",
  ours: "Palimpsest",
  tfIdf: "Palimpsest, lines by TF-IDF in place of excerpts",
  recency: "recency",
  random: "random lines",
} as const;

/** The window of the agents whose sessions these are. A thread that is shorter than `least` had one in which it was just full. */
const windows = { recorded: 200_000, least: 40_000 };
const draws = 5;
/** Passages of an answer: the most that the tool shows. */
const hits = 20;
const tokenCounter = tokenCounterFrom((text) => Math.ceil(text.length / 4));
const config = { configurable: { thread_id: "session" } };

/**
 * Returns the contexts after one compaction: what was recorded, ours at its size and at the defaults of the node in a window of
 * 200,000 tokens, and as many tokens of the newest text and of random lines.
 */
export async function replacementsOf({ past, summary }: PlayedCompaction): Promise<Replacements> {
  const budget = summary.length / 4;
  const small = fitted(past, budget, "excerpts");
  const { context, ...tools } = await compacted(past);
  const controls = (size: Replacement["size"], tokens: number): readonly Replacement[] => [
    { way: ways.recency, size, texts: [textOfAll(past).slice(-4 * Math.round(tokens))] },
    {
      way: ways.random,
      size,
      texts: Array.from({ length: draws }, (_, seed) => randomLines(past, tokens, seed)),
    },
  ];
  return {
    all: [
      { way: ways.recorded, size: "recorded", texts: [summary] },
      { way: ways.ours, size: "recorded", texts: [textOfAll(small)] },
      { way: ways.tfIdf, size: "recorded", texts: [textOfAll(fitted(past, budget, "findings"))] },
      // Where the smallest context of ours is larger than the recorded summary, the controls get as much.
      ...controls("recorded", Math.max(budget, charsOverFour(small))),
      { way: ways.ours, size: "default", texts: [textOfAll(context)] },
      ...controls("default", charsOverFour(context)),
    ],
    ...tools,
  };
}

/** Plays the real node once over the whole thread, as if its trigger had come at this moment. */
async function compacted(past: readonly BaseMessage[]) {
  const files = VirtualFilesystem.inMemory();
  const total = tokenCounter([...past]);
  const node = compactionNode({
    files,
    contextWindow:
      total < windows.least
        ? Math.ceil(total / defaults.trigger.fraction)
        : Math.max(windows.recorded, total),
    tokenCounter,
    trigger: { tokens: Math.floor(0.99 * total) },
    summaryModel: "none",
  });
  const index = RecallIndex.inMemory();
  const search = searchHistoryTool({ files, index });
  return {
    context: await new NodeThread(node, config.configurable.thread_id).step(past),
    search: async (query: string) => String(await search.invoke({ query, limit: hits }, config)),
    close: async () => index.close(),
  };
}

export function textOfAll(messages: readonly BaseMessage[]): string {
  return messages.map(textOf).join("\n");
}
