import type { BaseMessage } from "@langchain/core/messages";
import {
  applyCertified,
  defaults,
  estimateTokens,
  extractSummary,
  findCutoff,
  offloadLargeToolResults,
  planSummary,
  renderSummary,
} from "@palimpsest/context";
import { reuseOf } from "@palimpsest/context/selection";
import { atomsOf } from "../data/atoms.js";
import { randomFrom } from "../data/random-from.js";
import { charsOverFour, textOf } from "../data/text-of.js";
import type { Trajectory } from "../data/trajectory.js";

const tokenCounter = estimateTokens;
/** Tokens over which a result goes to the archive before anything else, as it would have on arrival. */
const offloadTokens = 800;
const seeds = 5;

/** One replacement for what was folded, at one recorded compaction. */
export interface UsedLater {
  readonly way: string;
  /** Strings that later calls used and that only the folded part of the run held. */
  readonly atoms: number;
  readonly visible: number;
  /** Four characters each: all that the model would see. */
  readonly tokens: number;
}

/**
 * Returns, for each recorded compaction, how many of the strings that were used later are in the recorded summary, and in
 * what takes its place here at no more tokens.
 */
export function usedLater({ messages, compactions = [] }: Trajectory): readonly UsedLater[] {
  return compactions.flatMap(({ before, summary }) => {
    const past = messages.slice(0, before);
    const atoms = laterAtoms(past, messages.slice(before));
    const budget = summary.length / 4;
    const rate = (way: string, text: string, tokens = text.length / 4): UsedLater => ({
      way,
      atoms: atoms.length,
      visible: atoms.filter((atom) => text.includes(atom)).length,
      tokens,
    });
    const context = (way: string, list: readonly BaseMessage[]) =>
      rate(way, list.map(textOf).join("\n"), charsOverFour(list));
    // At equal tokens by force: what no compaction makes small enough is cut.
    const bounded = (way: string, list: readonly BaseMessage[]) =>
      rate(
        way,
        list
          .map(textOf)
          .join("\n")
          .slice(0, 4 * budget),
      );
    return [
      rate("recorded summary", summary),
      bounded("extractive, excerpts by likely reuse", fitted(past, budget, "excerpts")),
      bounded("extractive, lines by TF-IDF", fitted(past, budget, "findings")),
      context("extractive, default sizes", byDefault(past)),
      rate(
        "recency",
        past
          .map(textOf)
          .join("\n")
          .slice(-4 * budget),
      ),
      ...Array.from({ length: seeds }, (_, seed) => rate("random lines", randomLines(past, budget, seed))),
    ];
  });
}

/** Only what the part after the compaction had not shown again before it was used. */
function laterAtoms(past: readonly BaseMessage[], later: readonly BaseMessage[]): readonly string[] {
  const known = past.map(textOf).join("\n");
  const found = new Set<string>();
  let shown = "";
  for (const message of later) {
    for (const { text } of atomsOf(message))
      if (known.includes(text) && !shown.includes(text)) found.add(text);
    shown += `\n${textOf(message)}`;
  }
  return [...found];
}

/** The largest compaction whose whole context is no larger than the budget, or the smallest one. */
function fitted(
  past: readonly BaseMessage[],
  budget: number,
  filler: "excerpts" | "findings",
): readonly BaseMessage[] {
  const { messages } = offloadLargeToolResults(past, { offloadTokens });
  const plan = planSummary(messages, { cut: findCutoff(messages, { keep: { messages: 1 }, tokenCounter }) });
  if (plan === undefined) return messages;
  const made = (tokens: number) => {
    const findingCharacters = filler === "findings" ? tokens * 4 : 0;
    const text = renderSummary(extractSummary(plan.region, { findingCharacters }));
    return applyCertified(plan, {
      text,
      tokenCounter,
      excerpts: { tokens: filler === "excerpts" ? tokens : 0, scorer: reuseOf },
    }).messages;
  };
  for (let tokens = Math.floor(budget); tokens > 0; tokens -= Math.ceil(budget / 12)) {
    const context = made(tokens);
    if (charsOverFour(context) <= budget) return context;
  }
  return made(0);
}

/** What the node makes of it with its default sizes, whatever the recorded summary took. */
function byDefault(past: readonly BaseMessage[]): readonly BaseMessage[] {
  const { messages } = offloadLargeToolResults(past, { offloadTokens });
  const plan = planSummary(messages, { cut: findCutoff(messages, { keep: { messages: 1 }, tokenCounter }) });
  if (plan === undefined) return messages;
  const text = renderSummary(extractSummary(plan.region));
  return applyCertified(plan, {
    text,
    tokenCounter,
    excerpts: { tokens: defaults.excerptTokens, scorer: reuseOf },
  }).messages;
}

function randomLines(past: readonly BaseMessage[], budget: number, seed: number): string {
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
