import type { BaseMessage } from "@langchain/core/messages";
import { sumOnce, sumsOnce } from "../collect-once.js";
import { isAi } from "../messages/tool-calls.js";
import { weigh, type TokenCounter } from "./token-counter.js";

/**
 * Returns an upper bound of the tokens of messages, from the lengths of their texts; undefined for a counter without
 * `maxPerCharacter`. Pure.
 */
export function tokensAtMost(
  messages: readonly BaseMessage[],
  { maxPerCharacter }: TokenCounter,
): number | undefined {
  return maxPerCharacter === undefined
    ? undefined
    : boundOf(lengths(messages)[messages.length - 1] ?? 0, maxPerCharacter);
}

/** Returns the indices of all messages, besides the model's, that may have more tokens than a limit, in order. Pure. */
export function mayExceed(
  limit: number,
  messages: readonly BaseMessage[],
  { maxPerCharacter = Infinity }: TokenCounter,
): readonly number[] {
  const sums = lengths(messages);
  const indices: number[] = [];
  if (boundOf(sums[messages.length - 1] ?? 0, maxPerCharacter) <= limit) return indices;
  // Hot path: a step of a long thread weighs only its new messages.
  for (let index = 0, before = 0; index < messages.length; index++) {
    const sum = sums[index] as number;
    const mayBeLarge = boundOf(sum - before, maxPerCharacter) > limit;
    if (mayBeLarge && !isAi(messages[index] as BaseMessage)) indices.push(index);
    before = sum;
  }
  return indices;
}

/**
 * Returns the tokens of messages if their texts were about as long for a token as texts get: fewer than nearly every text has.
 * Fast, because it reads only lengths. Pure.
 */
export function usualTokens(messages: readonly BaseMessage[]): number {
  return spans(messages) / maxSpan;
}

/** Length of a token in long words of English, of which other text has more. */
const maxSpan = 5;
/** Units for which a unit counts in a text of a script whose tokens are short. */
const wideSpan = 3;
// oxlint-disable-next-line no-control-regex -- the class is all that one byte holds
const wide = /[^\u0000-\u00ff]/;

const spans = sumOnce((message) => weigh(message, (text) => text.length * (wide.test(text) ? wideSpan : 1)));

const lengths = sumsOnce(lengthOf);

/** Returns the UTF-16 units of all texts of a message; the tokens of its media and its overhead count as units. */
function lengthOf(message: BaseMessage): number {
  return weigh(message, (text) => text.length);
}

/** Returns the most tokens of a length. The factor is at least 1, because each unit of overhead is one token. */
function boundOf(length: number, maxPerCharacter: number): number {
  return length * Math.max(1, maxPerCharacter);
}
