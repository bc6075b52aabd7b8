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
  readonly set: string;
  readonly way: string;
  /** At the size of the recorded summary, or at the default sizes of the node. */
  readonly size: "recorded" | "default";
  /** Strings that later calls used and that only the folded part of the run held. */
  readonly atoms: number;
  readonly visible: number;
  /** Four characters each: all that the model would see. */
  readonly tokens: number;
}

/** The names of what takes the place of what was folded. */
export const ways = {
  recorded: "recorded summary",
  ours: "extractive, excerpts by likely reuse",
  tfIdf: "extractive, lines by TF-IDF",
  recency: "recency",
  random: "random lines",
} as const;

/**
 * Returns, for each recorded compaction, how many of the strings that were used later are in the recorded summary, and in
 * what takes its place here.
 *
 * Nothing is cut to size: where the smallest context here is larger than the recorded summary, recency and random lines get as
 * much as it.
 */
export function usedLater({ set, messages, compactions = [] }: Trajectory): readonly UsedLater[] {
  return compactions.flatMap(({ before, summary }) => {
    const past = messages.slice(0, before);
    const atoms = laterAtoms(past, messages.slice(before));
    const rate = (way: string, size: UsedLater["size"], text: string): UsedLater => ({
      set,
      way,
      size,
      atoms: atoms.length,
      visible: atoms.filter((atom) => text.includes(atom)).length,
      tokens: text.length / 4,
    });
    const controls = (size: UsedLater["size"], tokens: number) => [
      rate(ways.recency, size, textOfAll(past).slice(-4 * tokens)),
      meanOf(
        Array.from({ length: seeds }, (_, seed) => rate(ways.random, size, randomLines(past, tokens, seed))),
      ),
    ];
    const budget = summary.length / 4;
    const ours = fitted(past, budget, "excerpts");
    const whole = byDefault(past);
    return [
      rate(ways.recorded, "recorded", summary),
      rate(ways.ours, "recorded", textOfAll(ours)),
      rate(ways.tfIdf, "recorded", textOfAll(fitted(past, budget, "findings"))),
      ...controls("recorded", Math.max(budget, charsOverFour(ours))),
      rate(ways.ours, "default", textOfAll(whole)),
      ...controls("default", charsOverFour(whole)),
    ];
  });
}

/** Returns the mean of several draws. */
function meanOf(draws: readonly UsedLater[]): UsedLater {
  const mean = (value: (draw: UsedLater) => number) =>
    draws.reduce((sum, draw) => sum + value(draw), 0) / draws.length;
  return {
    ...(draws[0] as UsedLater),
    visible: mean(({ visible }) => visible),
    tokens: mean(({ tokens }) => tokens),
  };
}

function textOfAll(messages: readonly BaseMessage[]): string {
  return messages.map(textOf).join("\n");
}

/** Only what the part after the compaction had not shown again before it was used. */
export function laterAtoms(past: readonly BaseMessage[], later: readonly BaseMessage[]): readonly string[] {
  const known = textOfAll(past);
  const found = new Set<string>();
  let shown = "";
  for (const message of later) {
    for (const { text } of atomsOf(message))
      if (known.includes(text) && !shown.includes(text)) found.add(text);
    shown += `\n${textOf(message)}`;
  }
  return [...found];
}

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
