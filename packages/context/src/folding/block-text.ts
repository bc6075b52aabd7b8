import { HumanMessage } from "@langchain/core/messages";
import { inlineText } from "../messages/text.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import type { Interaction } from "./interaction.js";
import { lazyRegExp } from "../once.js";
import { hasUnspaced, splitUnspaced } from "../words/unspaced.js";

const separator = "; ";

/**
 * Returns the automatic summary of several blocks: their highest-weighted pieces, in order, within `maxTokens` tokens.
 *
 * Pure, calls no model. Ranks pieces by the identifiers and goal words in them. Each block contributes a piece while each
 * block's share is at least 8 tokens.
 */
export function macroText(
  texts: readonly string[],
  { maxTokens, count, goalWords }: BlockTextOptions,
): string {
  const all = texts.join(separator);
  if (count(all) <= maxTokens) return all;
  const share = Math.floor(maxTokens / texts.length) - 1;
  if (share < 8) return spread(texts, { maxTokens, count, goalWords });
  const clipped = texts.map((text) => shortened(text, { maxTokens: share, count, goalWords }));
  return clipTokens(clipped.join(separator), maxTokens, count);
}

/** Keeps the highest-weighted texts when there are too many for a share each. */
function spread(texts: readonly string[], { maxTokens, count, goalWords }: BlockTextOptions): string {
  const kept = Math.max(1, Math.floor(maxTokens / 10));
  const ranked = texts
    .map((text, index) => ({ index, score: tellingWeight(text, goalWords) }))
    .toSorted((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, kept);
  const chosen = ranked.toSorted((a, b) => a.index - b.index).map(({ index }) => texts[index] ?? "");
  const share = Math.max(1, Math.floor(maxTokens / chosen.length) - 1);
  return clipTokens(
    chosen.map((text) => tellingPart(text, { maxTokens: share, count, goalWords })).join(separator),
    maxTokens,
    count,
  );
}

/** Drops the pieces with the lowest weight per token until the rest fits. */
function shortened(text: string, { maxTokens, count, goalWords }: BlockTextOptions): string {
  const pieces = text.split(/(?:; | \| )/).filter((piece) => piece !== "");
  const sized = pieces.map((piece, index) => {
    const tokens = count(piece) + 1;
    return { piece, index, tokens, worth: tellingWeight(piece, goalWords) / tokens };
  });
  let left = sized.reduce((sum, { tokens }) => sum + tokens, 0);
  const dropped = new Set<number>();
  for (const { index, tokens } of sized.toSorted((a, b) => a.worth - b.worth || a.index - b.index)) {
    if (left <= maxTokens || dropped.size === pieces.length - 1) break;
    dropped.add(index);
    left -= tokens;
  }
  const kept = pieces.filter((_, index) => !dropped.has(index));
  return tellingPart(kept.join(separator), { maxTokens, count, goalWords });
}

/** Maximum share of the tokens for each part; unused tokens pass to the parts after it. */
const shares = [
  ["explanation", 0.3],
  ["action", 0.3],
] as const;

/**
 * Returns the automatic summary of one interaction: `explanation | action | observation`, within `maxTokens` tokens.
 *
 * Pure, calls no model. Cuts a long observation to the passage with the highest weight of names, numbers and goal words.
 */
export function microText(
  interaction: Interaction,
  { maxTokens, count, goalWords }: BlockTextOptions,
): string {
  const parts: string[] = [];
  let left = maxTokens;
  for (const [name, share] of shares) {
    const text = clipTokens(oneLine(interaction[name]), Math.floor(maxTokens * share), count);
    if (text === "") continue;
    parts.push(text);
    left -= count(text) + 1;
  }
  const observation = tellingPart(oneLine(interaction.observation), {
    maxTokens: left - 1,
    count,
    goalWords,
  });
  if (observation !== "") parts.push(observation);
  return clipTokens(parts.join(" | "), maxTokens, count);
}

/** Returns the first 20,000 characters of a text on one line, which bounds the cost of long results. */
function oneLine(text: string): string {
  return inlineText(text.slice(0, 20_000)).replaceAll(/\s+/g, " ");
}

/** Words, without surrounding punctuation. */
const word = lazyRegExp(
  String.raw`[\p{L}\p{N}_$@#/\\](?:[\p{L}\p{M}\p{N}_$@#./\\:-]*[\p{L}\p{M}\p{N}_$#/])?`,
  "gu",
);
/** A searchable word: has a digit, a path or address character, or an inner capital. */
const identifier = lazyRegExp(String.raw`\d|[/\\@_#]|\p{Ll}\p{Lu}`, "u");
/** An identifier's weight is its length beyond the first 3 characters, because short numbers are common, up to 16. */
const freeCharacters = 3;
const maxCharacters = 16;

/** Weight of a goal word, and of a goal pair in a script without spaces, where a word is one pair or several. */
const goalWordWeight = 6;
const goalPairWeight = 3;

/**
 * Returns the search value of a text: the sum over its distinct identifiers, weighted by length, and over its goal
 * words. Pure.
 */
export function tellingWeight(text: string, goalWords: ReadonlySet<string> = new Set()): number {
  let weight = 0;
  for (const one of new Set(wordsOf(text))) {
    if (goalWords.has(one.toLowerCase())) weight += hasUnspaced(one) ? goalPairWeight : goalWordWeight;
    else if (one.length > freeCharacters && identifier().test(one))
      weight += Math.min(maxCharacters, one.length) - freeCharacters;
  }
  return weight;
}

function wordsOf(text: string): readonly string[] {
  const found = text.match(word()) ?? [];
  return hasUnspaced(text) ? found.flatMap((one) => splitUnspaced(one)) : found;
}

/** Returns the words of a goal with more than three characters, in lower case, and its pairs in a script without spaces. */
export function goalWordsOf(goal: string): ReadonlySet<string> {
  const found = wordsOf(goal.slice(0, 4_000)).filter(
    (one) => one.length > freeCharacters || hasUnspaced(one),
  );
  return new Set(found.map((one) => one.toLowerCase()));
}

/**
 * Returns the passage of at most `maxTokens` tokens with the highest weight; the first of equal ones. Pure.
 */
export function tellingPart(text: string, { maxTokens, count, goalWords }: BlockTextOptions): string {
  if (maxTokens < 1) return "";
  const start = clipTokens(text, maxTokens, count);
  if (start === text) return text;
  const width = Math.max(1, start.length - 2);
  let best = { at: 0, score: tellingWeight(text.slice(0, width), goalWords) };
  for (let at = width; at < text.length; at += Math.ceil(width / 2)) {
    const space = text.lastIndexOf(" ", at) + 1;
    // A script without spaces has none nearby.
    const from = at - space < width / 2 ? space : at;
    const score = tellingWeight(text.slice(from, from + width), goalWords);
    if (score > best.score) best = { at: from, score };
  }
  if (best.at === 0) return start;
  return clipTokens(`…${text.slice(best.at, best.at + 2 * width).toWellFormed()}`, maxTokens, count);
}

/** Returns a function that counts the tokens of a text without the overhead of a message. */
export function textCounter(tokenCounter: TokenCounter): (text: string) => number {
  const around = tokenCounter([new HumanMessage("")]);
  return (text) => Math.max(0, tokenCounter([new HumanMessage(text)]) - around);
}

/**
 * Returns the longest prefix of a text with at most `maxTokens` tokens, followed by `…` when the text is cut.
 *
 * Pure; never splits a surrogate pair. Reads at most about 8 characters per token, which bounds the cost of a huge text.
 */
export function clipTokens(text: string, maxTokens: number, count: (text: string) => number): string {
  const near = text.slice(0, Math.max(0, Math.floor(maxTokens)) * 8 + 8);
  if (near.length === text.length && count(text) <= maxTokens) return text;
  let start = 0;
  let end = near.length;
  while (start < end) {
    const middle = Math.ceil((start + end) / 2);
    if (count(clipped(near, middle)) <= maxTokens) start = middle;
    else end = middle - 1;
  }
  return start === 0 ? "" : clipped(near, start);
}

function clipped(text: string, end: number): string {
  const whole = /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end;
  return `${text.slice(0, whole).trimEnd()}…`;
}

/** Bounds of an automatic text, and the words to prefer. */
export interface BlockTextOptions {
  /** Maximum tokens of the text. */
  readonly maxTokens: number;
  readonly count: (text: string) => number;
  /** Words of the goal, in lower case: passages that contain them have priority. @default none */
  readonly goalWords?: ReadonlySet<string> | undefined;
}
