import { HumanMessage } from "@langchain/core/messages";
import { inlineText } from "../messages/text.js";
import { closed, splitOutside } from "../quotations/cut-quotations.js";
import { defused, quotation, quote } from "../quotations/quoted-text.js";
import { entriesOf, linesOfEntry, type SourcedLine } from "../quotations/sourced-lines.js";
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
  const chosen = share < 8 ? highest(texts, { maxTokens, count, goalWords }) : texts;
  return joined(chosen.map(piecesOf), { maxTokens, count, goalWords });
}

/** Returns the texts with the highest weight when there are too many for a share each. */
function highest(texts: readonly string[], { maxTokens, goalWords }: BlockTextOptions): readonly string[] {
  const ranked = texts
    .map((text, index) => ({ index, text, score: tellingWeight(text, goalWords) }))
    .toSorted((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, Math.max(1, Math.floor(maxTokens / 10)));
  return ranked.toSorted((a, b) => a.index - b.index).map(({ text }) => text);
}

/** Joins what has the highest weight of each text, with smaller shares where the names of sources need the room. */
function joined(
  texts: readonly (readonly SourcedLine[])[],
  { maxTokens, count, goalWords }: BlockTextOptions,
): string {
  let share = Math.max(1, Math.floor(maxTokens / texts.length) - 1);
  for (;;) {
    const lines = texts.flatMap((pieces) => shortened(pieces, { maxTokens: share, count, goalWords }));
    const text = entriesOf(lines).join(separator);
    const over = count(text) - maxTokens;
    if (over <= 0 || share <= over / texts.length + 4) return clipTokens(text, maxTokens, count);
    share -= Math.ceil(over / texts.length);
  }
}

/** Drops the pieces with the lowest weight per token until the rest fits, and cuts the last one. */
function shortened(
  pieces: readonly SourcedLine[],
  { maxTokens, count, goalWords }: BlockTextOptions,
): readonly SourcedLine[] {
  const sized = pieces.map(({ source, line }, index) => {
    const tokens = count(source === "" ? line : quote(line)) + 1;
    return { index, tokens, worth: tellingWeight(line, goalWords) / tokens };
  });
  let left = sized.reduce((sum, { tokens }) => sum + tokens, 0);
  const dropped = new Set<number>();
  for (const { index, tokens } of sized.toSorted((a, b) => a.worth - b.worth || a.index - b.index)) {
    if (left <= maxTokens || dropped.size === pieces.length - 1) break;
    dropped.add(index);
    left -= tokens;
  }
  const kept = pieces.filter((_, index) => !dropped.has(index));
  if (left <= maxTokens) return kept;
  return kept.flatMap(({ source, line }) => {
    const room = maxTokens - left + count(line);
    const part = tellingPart(line, { maxTokens: room, count, goalWords });
    return part === "" ? [] : { source, line: part };
  });
}

/** Returns the pieces of a text; those of a quotation keep its source. */
function piecesOf(text: string): readonly SourcedLine[] {
  return splitOutside(text, /; | \| /)
    .flatMap(linesOfEntry)
    .flatMap(({ source, line }) => {
      if (source === "") return { source, line };
      const [, tool] = /^(\S+) \{/.exec(source) ?? [];
      const lines = line.split(separator).map((one) => ({ source: tool ?? source, line: one }));
      return tool === undefined ? lines : [{ source: "", line: source }, ...lines];
    })
    .filter(({ line }) => line !== "");
}

/** Maximum share of the tokens for each part; unused tokens pass to the parts after it. */
const shares = [
  ["explanation", 0.3],
  ["action", 0.3],
] as const;

/**
 * Returns the automatic summary of one interaction: `explanation | action: “observation”`, within `maxTokens` tokens.
 *
 * Pure, calls no model. Quotes results as data of their tools, and cuts a long observation to the passage with the highest weight of names, numbers and goal words.
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
  const lines = observed(interaction.results);
  const call = parts.at(-1) ?? "";
  if (isCallOf(call, lines)) {
    const room = { maxTokens: left - count("“”"), count, goalWords };
    const quoted = lines.map(({ line }) => tellingPart(defused(line), room)).filter((line) => line !== "");
    if (quoted.length > 0) parts.splice(-1, 1, quotation({ source: call, lines: quoted }));
  } else parts.push(joined([lines], { maxTokens: left - 1, count, goalWords }));
  return clipTokens(parts.filter((part) => part !== "").join(" | "), maxTokens, count);
}

/** True for the text of a single call which can name the source of its only result, so that the name stands there once. */
function isCallOf(call: string, [only, ...others]: readonly SourcedLine[]): boolean {
  const tool = only?.source.replace(/ \(.*$/, "");
  return others.length === 0 && call.startsWith(`${tool} {`) && !/[“”;|]/.test(call);
}

/** Characters of an interaction's results, and of another part of it, that are read: bounds the cost of long ones. */
const maxRead = 20_000;

function observed(results: Interaction["results"]): readonly SourcedLine[] {
  const most = Math.floor(maxRead / Math.max(1, results.length));
  return results
    .map(({ source, line }) => ({ source, line: oneLine(line, most) }))
    .filter(({ line }) => line !== "");
}

function oneLine(text: string, most = maxRead): string {
  return inlineText(text.slice(0, most)).replaceAll(/\s+/g, " ");
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
 * Returns the longest prefix of a text with at most `maxTokens` tokens, followed by `…` when the text is cut, and by `”` when
 * a quotation is.
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
  return closed(`${text.slice(0, whole).trimEnd()}…`);
}

/** Bounds of an automatic text, and the words to prefer. */
export interface BlockTextOptions {
  /** Maximum tokens of the text. */
  readonly maxTokens: number;
  readonly count: (text: string) => number;
  /** Words of the goal, in lower case: passages that contain them have priority. @default none */
  readonly goalWords?: ReadonlySet<string> | undefined;
}
