import type { BaseMessage } from "@langchain/core/messages";
import { messageText } from "@palimpsest/context/internal";
import { setsRule } from "../retention/rules-of.js";

const stop = new Set(
  "the and for that this with you are was have has will can from your but its not our".split(" "),
);

/** Returns the words of the sentences in which a user states a constraint. */
export function constraintWords(messages: readonly BaseMessage[]): readonly string[] {
  const sentences = messages
    .filter((message) => message.getType() === "human")
    .flatMap((message) => messageText(message).split(/(?<=[.!?])\s+|\n+/))
    .filter(setsRule);
  return [...new Set(sentences.flatMap(wordsOf))];
}

/** Returns the share of words that are in a context; undefined without words. */
export function coverage(words: readonly string[], context: readonly BaseMessage[]): number | undefined {
  if (words.length === 0) return undefined;
  // Only messages of the user count, and summaries, which are sent as user messages.
  const said = context.filter((message) => message.getType() === "human" || message.getType() === "system");
  const there = said.map(wordsIn);
  return words.filter((word) => there.some((one) => one.has(word))).length / words.length;
}

const known = new WeakMap<BaseMessage, ReadonlySet<string>>();

function wordsIn(message: BaseMessage): ReadonlySet<string> {
  const words = known.get(message) ?? new Set(wordsOf(messageText(message)));
  known.set(message, words);
  return words;
}

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[a-z][a-z'_-]{2,}|\d{2,}/g) ?? []).filter((word) => !stop.has(word));
}
