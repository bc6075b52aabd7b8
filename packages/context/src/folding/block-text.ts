import { HumanMessage } from "@langchain/core/messages";
import { inlineText } from "../messages/text.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import type { Interaction } from "./interaction.js";

const separator = "; ";

/**
 * Returns the automatic summary of several blocks: their most telling pieces, in order, within `most` tokens.
 *
 * Pure, calls no model. Pieces with identifiers that no other piece has come first; every block leaves a trace as long
 * as there is room for it.
 */
export function macroText(texts: readonly string[], { most, count, sought }: BlockTextOptions): string {
  const all = texts.join(separator);
  if (count(all) <= most) return all;
  const share = Math.floor(most / texts.length) - 1;
  if (share < 8) return spread(texts, { most, count, sought });
  const clipped = texts.map((text) => shortened(text, { most: share, count, sought }));
  return clipTokens(clipped.join(separator), most, count);
}

/** Where there are too many texts for a share each, the most telling ones of them. */
function spread(texts: readonly string[], { most, count, sought }: BlockTextOptions): string {
  const kept = Math.max(1, Math.floor(most / 10));
  const ranked = texts
    .map((text, index) => ({ index, score: tellingWeight(text, sought) }))
    .toSorted((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, kept);
  const chosen = ranked.toSorted((a, b) => a.index - b.index).map(({ index }) => texts[index] ?? "");
  const share = Math.max(1, Math.floor(most / chosen.length) - 1);
  return clipTokens(
    chosen.map((text) => tellingPart(text, { most: share, count, sought })).join(separator),
    most,
    count,
  );
}

/** Drops the pieces of a text that say least for their tokens until the rest fits. */
function shortened(text: string, { most, count, sought }: BlockTextOptions): string {
  const pieces = text.split(/(?:; | \| )/).filter((piece) => piece !== "");
  const sized = pieces.map((piece, index) => {
    const tokens = count(piece) + 1;
    return { piece, index, tokens, worth: tellingWeight(piece, sought) / tokens };
  });
  let left = sized.reduce((sum, { tokens }) => sum + tokens, 0);
  const dropped = new Set<number>();
  for (const { index, tokens } of sized.toSorted((a, b) => a.worth - b.worth || a.index - b.index)) {
    if (left <= most || dropped.size === pieces.length - 1) break;
    dropped.add(index);
    left -= tokens;
  }
  const kept = pieces.filter((_, index) => !dropped.has(index));
  return tellingPart(kept.join(separator), { most, count, sought });
}

/** Share of the tokens that each part may take; what one leaves over goes to those after it. */
const shares = [
  ["explanation", 0.3],
  ["action", 0.3],
] as const;

/**
 * Returns the automatic summary of one interaction: `explanation | action | observation`, within `most` tokens.
 *
 * Pure, calls no model. Of an observation that does not fit, the passage with the most names, numbers and words of the goal
 * stays.
 */
export function microText(interaction: Interaction, { most, count, sought }: BlockTextOptions): string {
  const parts: string[] = [];
  let left = most;
  for (const [name, share] of shares) {
    const text = clipTokens(oneLine(interaction[name]), Math.floor(most * share), count);
    if (text === "") continue;
    parts.push(text);
    left -= count(text) + 1;
  }
  const observation = tellingPart(oneLine(interaction.observation), { most: left - 1, count, sought });
  if (observation !== "") parts.push(observation);
  return clipTokens(parts.join(" | "), most, count);
}

/** No more of a long text is looked at than a micro summary could ever hold the best of. */
function oneLine(text: string): string {
  return inlineText(text.slice(0, 20_000)).replaceAll(/\s+/g, " ");
}

/** Words, without the marks around them. */
const word = /[\p{L}\p{N}_$@#/\\](?:[\p{L}\p{N}_$@#./\\:-]*[\p{L}\p{N}_$#/])?/gu;
/** A word that can be looked for again: with a digit, a path, an address, a name with a capital inside. */
const identifier = /\d|[/\\@_#]|\p{Ll}\p{Lu}/u;
/** Characters of an identifier that count: those behind the third, for 7 and 122 are everywhere, up to this one. */
const least = 3;
const longest = 16;

/** What a word of the goal is worth. */
const soughtWeight = 6;

/**
 * Returns how much there is in a text to look for again: the more and the longer its different identifiers, and the
 * more words it shares with the goal. Pure.
 */
export function tellingWeight(text: string, sought: ReadonlySet<string> = new Set()): number {
  let weight = 0;
  for (const one of new Set(text.match(word) ?? [])) {
    if (sought.has(one.toLowerCase())) weight += soughtWeight;
    else if (one.length > least && identifier.test(one)) weight += Math.min(longest, one.length) - least;
  }
  return weight;
}

/** Returns the words of a goal that are worth looking for: those of more than three letters or digits, in lower case. */
export function soughtWords(goal: string): ReadonlySet<string> {
  const found = (goal.slice(0, 4_000).match(word) ?? []).filter((one) => one.length > least);
  return new Set(found.map((one) => one.toLowerCase()));
}

/**
 * Returns a passage of a text that has at most `most` tokens: the one with the most to look for again, of equal ones
 * the first. Pure.
 */
export function tellingPart(text: string, { most, count, sought }: BlockTextOptions): string {
  if (most < 1) return "";
  const start = clipTokens(text, most, count);
  if (start === text) return text;
  const width = Math.max(1, start.length - 2);
  let best = { at: 0, score: tellingWeight(text.slice(0, width), sought) };
  for (let at = width; at < text.length; at += Math.ceil(width / 2)) {
    const from = text.lastIndexOf(" ", at) + 1;
    const score = tellingWeight(text.slice(from, from + width), sought);
    if (score > best.score) best = { at: from, score };
  }
  if (best.at === 0) return start;
  return clipTokens(`…${text.slice(best.at, best.at + 2 * width)}`, most, count);
}

/** Returns a function that counts the tokens of a text alone, without those of a message around it. */
export function textCounter(tokenCounter: TokenCounter): (text: string) => number {
  const around = tokenCounter([new HumanMessage("")]);
  return (text) => Math.max(0, tokenCounter([new HumanMessage(text)]) - around);
}

/**
 * Returns the longest beginning of a text that has at most `most` tokens, with `…` where something is missing.
 *
 * Pure; never parts a surrogate pair. Looks at no more than 8 characters a token, so that a huge text costs little.
 */
export function clipTokens(text: string, most: number, count: (text: string) => number): string {
  const near = text.slice(0, Math.max(0, Math.floor(most)) * 8 + 8);
  if (near.length === text.length && count(text) <= most) return text;
  let least = 0;
  let end = near.length;
  while (least < end) {
    const middle = Math.ceil((least + end) / 2);
    if (count(clipped(near, middle)) <= most) least = middle;
    else end = middle - 1;
  }
  return least === 0 ? "" : clipped(near, least);
}

function clipped(text: string, end: number): string {
  const whole = /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end;
  return `${text.slice(0, whole).trimEnd()}…`;
}

/** Bounds of an automatic text, and what it is made for. */
export interface BlockTextOptions {
  /** Tokens that the text may have. */
  readonly most: number;
  readonly count: (text: string) => number;
  /** Words of the goal, in lower case: passages with them are kept before others. @default none */
  readonly sought?: ReadonlySet<string> | undefined;
}
