import type { BaseMessage } from "@langchain/core/messages";
import {
  applyCertified,
  estimateTokens,
  extractSummary,
  findCutoff,
  offloadLargeToolResults,
  planSummary,
  renderSummary,
} from "@palimpsest/context";
import { reuseOf } from "@palimpsest/context/selection";
import { randomFrom } from "../data/random-from.js";
import { charsOverFour, textOf } from "../data/text-of.js";

const tokenCounter = estimateTokens;
/** Tokens over which a result goes to the archive before anything else, as it would have on arrival. */
const offloadTokens = 800;

/**
 * The largest compaction whose whole context is no larger than the budget, or the smallest one. The user's words get the shares
 * of it that they have of a small window.
 */
export function fitted(
  past: readonly BaseMessage[],
  budget: number,
  filler: "excerpts" | "findings",
): readonly BaseMessage[] {
  const { messages } = offloadLargeToolResults(past, { offloadTokens });
  const cut = findCutoff(messages, { keep: { messages: 1 }, tokenCounter });
  const plan = planSummary(messages, { cut, userTokens: Math.floor(budget / 4) });
  if (plan === undefined) return messages;
  const userLineTokens = Math.floor(budget / 8);
  const made = (tokens: number) => {
    const findingCharacters = filler === "findings" ? tokens * 4 : 0;
    const text = renderSummary(extractSummary(plan.region, { findingCharacters }));
    return applyCertified(plan, {
      text,
      tokenCounter,
      userLineTokens,
      excerpts: { tokens: filler === "excerpts" ? tokens : 0, scorer: reuseOf },
    }).messages;
  };
  for (let tokens = Math.floor(budget); tokens > 0; tokens -= Math.ceil(budget / 12)) {
    const context = made(tokens);
    if (charsOverFour(context) <= budget) return context;
  }
  return made(0);
}

/** Returns random lines of a thread within a budget of tokens of four characters: the control. */
export function randomLines(past: readonly BaseMessage[], budget: number, seed: number): string {
  const random = randomFrom(seed + 1);
  const lines = past.flatMap((message) => textOf(message).split("\n")).filter((line) => line.trim() !== "");
  let left = budget * 4;
  const chosen: string[] = [];
  while (left > 0 && chosen.length < lines.length) {
    const line = lines[Math.floor(random() * lines.length)] ?? "";
    left -= line.length + 1;
    if (left >= 0) chosen.push(line);
  }
  return chosen.join("\n");
}
