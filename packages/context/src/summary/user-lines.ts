import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { foldOf, isUserMessage } from "../folds/fold.js";
import { clipText, inlineText, messageText, sentences } from "../messages/text.js";
import { defaults } from "../options.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import { earlierSummary } from "./earlier-summary.js";
import { contentWords } from "../words/words.js";
import { isRule } from "./user-constraints.js";
import { lazyRegExp } from "../once.js";

export interface UserLinesOptions {
  /** Tokens of all lines together. @default defaults.userLineTokens */
  readonly tokens?: number | undefined;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
}

/**
 * Characters (UTF-16 units) of a line, longest first. Over the budget the oldest lines go down one step, then the next,
 * so that an older line is never longer than the room of a newer one.
 */
const longest = 1_200;
const steps = [400, 240, 120, 60, 30];
/** Characters that sentences without a rule word may take in one line. */
const plainCharacters = 400;
/** Sentences of one message that are looked at, at its beginning and at its end. */
const maxSentences = 200;
/** Between sentences that are not neighbours in the message. */
const gap = " … ";

/**
 * Returns a line of every folded user message, verbatim and oldest first, with those of earlier summaries and blocks.
 *
 * Pure. A message of up to 400 characters is whole; of a longer one stay the sentences with a rule word, then those with
 * rare words, names and numbers, the first and the last. Over the budget the oldest lines become the shortest; where
 * even 30 characters each are too many, the oldest are replaced by one line that counts them. Their full text is in the
 * originals, to which every summary points.
 */
export function userLines(
  folded: readonly BaseMessage[],
  { tokens = defaults.userLineTokens, tokenCounter = estimateTokens }: UserLinesOptions = {},
): readonly string[] {
  const earlier = earlierSummary(folded.filter((message) => foldOf(message)?.block === undefined)).userLines;
  const all = [...earlier, ...folded.flatMap(linesIn)];
  if (all.length === 0) return [];
  const left = all.reduce((count, line) => count + countOf(line), 0);
  const lines = distinct(all.filter((line) => countOf(line) === 0));
  const base = tokenCounter([new HumanMessage("")]);
  const cost = (line: string) => tokenCounter([new HumanMessage(`- ${line}\n`)]) - base;
  return fitted(lines, { left, tokens, cost });
}

/** Returns the line of a user message, or the lines that a block carries. */
function linesIn(message: BaseMessage): readonly string[] {
  return (
    foldOf(message)?.block?.userLines ??
    (isUserMessage(message) ? [shortened(messageText(message), longest)] : [])
  );
}

interface Fitting {
  /** Lines that earlier summaries left out. */
  readonly left: number;
  readonly tokens: number;
  readonly cost: (line: string) => number;
}

function fitted(all: readonly string[], { left, tokens, cost }: Fitting): readonly string[] {
  const lines = [...all];
  const costs = lines.map(cost);
  let total = costs.reduce((sum, one) => sum + one, 0);
  for (const length of steps) {
    for (let at = 0; at < lines.length && total > tokens; at++) {
      const line = lines[at] ?? "";
      if (line.length <= length) continue;
      const shorter = shortened(line, length);
      lines[at] = shorter;
      total -= (costs[at] ?? 0) - cost(shorter);
      costs[at] = cost(shorter);
    }
  }
  const room = tokens - (left > 0 || total > tokens ? cost(noteOf(lines.length + left)) : 0);
  let dropped = 0;
  while (total > room && dropped < lines.length) total -= costs[dropped++] ?? 0;
  return [...(dropped + left === 0 ? [] : [noteOf(dropped + left)]), ...lines.slice(dropped)];
}

const note = /^\[(\d+) older messages of the user: see the originals above\]$/;

function noteOf(count: number): string {
  return `[${count} older messages of the user: see the originals above]`;
}

/** Returns the number of lines that a note stands for; 0 for a line of the user. */
export function countOf(line: string): number {
  return Number(note.exec(line)?.[1] ?? 0);
}

/** A repeated line stays where it was said last. */
function distinct(lines: readonly string[]): readonly string[] {
  return [...new Set(lines.filter((line) => line !== "").toReversed())].toReversed();
}

interface Ranked {
  readonly text: string;
  readonly at: number;
  readonly isRule: boolean;
  readonly score: number;
}

/** Returns the sentences of a message by how much they look like a rule, highest first. */
function ranked(text: string): readonly Ranked[] {
  const all = sentences(text).map((sentence) => inlineText(sentence.replace(/\s+/g, " ")));
  const last = all.length - 1;
  const parts = all
    .map((sentence, at) => ({ text: sentence, at, words: [...new Set(contentWords(sentence))] }))
    .filter(({ at }) => at < maxSentences || at > last - maxSentences);
  const counts = new Map<string, number>();
  for (const word of parts.flatMap(({ words }) => words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return parts
    .map(({ words, ...part }) => {
      const rule = isRule(part.text);
      const rare = words.filter((word) => counts.get(word) === 1).length / Math.max(1, words.length);
      const edge = part.at === 0 || part.at === last ? 0.3 : 0;
      const brief = shortLength / (shortLength + part.text.length);
      const score = (rule ? 2 : 0) + rare + edge + brief - 2 * machineShare(part.text);
      return { ...part, isRule: rule, score };
    })
    .toSorted((a, b) => b.score - a.score || a.at - b.at);
}

/** Characters at which a sentence has half of the bonus for brevity: a rule is shorter than the text around it. */
const shortLength = 60;

const proseCharacter = lazyRegExp(String.raw`[\p{L}\p{M} ]`, "gu");

/** Share of a sentence, 0 to 1, that is neither letters nor spaces: high for logs, tables and code. */
function machineShare(text: string): number {
  const prose = text.match(proseCharacter())?.length ?? 0;
  return 1 - prose / Math.max(1, text.length);
}

/** Returns the sentences that fit, highest first, in the order of the message. */
function joined(parts: readonly Ranked[], maxCharacters: number): string {
  const chosen: Ranked[] = [];
  let used = 0;
  for (const part of parts) {
    const room = part.isRule ? maxCharacters : Math.min(maxCharacters, plainCharacters);
    const length = part.text.length + (chosen.length === 0 ? 0 : gap.length);
    if (used + length > room) continue;
    chosen.push(part);
    used += length;
  }
  const [best] = parts;
  if (chosen.length > 0 || best === undefined) return inOrder(chosen);
  return `${clipText(best.text, maxCharacters - 1)}…`;
}

/** Returns a text as one line where it is short enough, else its highest ranked sentences. */
function shortened(text: string, maxCharacters: number): string {
  const line = inlineText(text.replace(/\s+/g, " "));
  if (line.length <= Math.min(maxCharacters, plainCharacters)) return line;
  return joined(ranked(text), maxCharacters);
}

function inOrder(parts: readonly Ranked[]): string {
  const sorted = parts.toSorted((a, b) => a.at - b.at);
  return sorted
    .map(({ text, at }, index) => {
      const before = sorted[index - 1];
      if (before === undefined) return text;
      if (at > before.at + 1) return gap + text;
      return /[。！？]$/.test(before.text) ? text : ` ${text}`;
    })
    .join("");
}
