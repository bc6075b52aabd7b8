import { clipTokens } from "./clip-tokens.js";
import type { BlockTextOptions } from "./block-text-options.js";

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
