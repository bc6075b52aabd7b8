import { HumanMessage } from "@langchain/core/messages";
import type { TokenCounter } from "../token-counter.js";

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
