import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { charsOverFour } from "../data/text-of.js";
import { ChunkLog } from "./chunk-log.js";
import type { Policy } from "./policy.js";

/** Characters that the summary keeps of a chunk. */
const briefCharacters = 260;
const trigger = 0.85;
const keep = 0.1;

/**
 * One summary that grows beside the first user message: over 85 % of the budget all but the newest tenth goes into it.
 *
 * The summary is mechanical, the first 260 characters of each chunk, its oldest lines dropped at half of the budget.
 */
export const cumulativeSummary: Policy = {
  name: "cumulative summary",
  start({ budget }) {
    const log = new ChunkLog();
    let briefs: readonly string[] = [];
    let summary: readonly BaseMessage[] = [];
    let from = 0;
    return {
      async context(added) {
        log.add(added);
        const { chunks } = log;
        const goal = from === 0 ? [] : (log.firstUser?.messages ?? []);
        const show = () => [...goal, ...summary, ...chunks.slice(from).flatMap(({ messages }) => messages)];
        if (charsOverFour(show()) <= trigger * budget) return show();
        const cut = firstKept(
          chunks.map(({ tokens }) => tokens),
          keep * budget,
        );
        const folded = chunks.slice(from, cut).map(({ text }) => text.slice(0, briefCharacters));
        briefs = newestBelow([...briefs, ...folded], 0.5 * budget * 4);
        summary = [new HumanMessage(`Summary of the work so far:\n${briefs.join("\n")}`)];
        from = cut;
        return [
          ...(log.firstUser?.messages ?? []),
          ...summary,
          ...chunks.slice(from).flatMap((one) => one.messages),
        ];
      },
    };
  },
};

/** Index of the first of the newest sizes that fit; at least the newest one is kept. */
function firstKept(sizes: readonly number[], most: number): number {
  let left = most;
  const last = sizes.findLastIndex((size) => (left -= size) < 0);
  return Math.min(last + 1, sizes.length - 1);
}

function newestBelow(texts: readonly string[], characters: number): readonly string[] {
  let left = characters;
  return texts.slice(texts.findLastIndex(({ length }) => (left -= length) < 0) + 1);
}
