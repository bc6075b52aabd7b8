import type { BaseMessage } from "@langchain/core/messages";
import type { MessageRecord } from "../data/trajectory.js";

/** A sentence of the user with one of these words sets a rule; the words are those of the reference measure. */
const rule =
  /\b(never|always|don't|do not|must|only|keep|not|should|want|need|instead|rather|without|make sure|stop|no)\b/i;
const length = { least: 15, most: 400 };
const stop = new Set(
  "the and that this with for from are was you your not but its have has can will all any".split(" "),
);

/** Returns true for a sentence that sets a rule: one with such a word, neither very short nor very long. */
export function setsRule(sentence: string): boolean {
  return sentence.length >= length.least && sentence.length <= length.most && rule.test(sentence);
}

/** Returns the sentences in which users set a rule. What a harness put in as a user is left out. */
export function rulesOf(
  messages: readonly BaseMessage[],
  records?: ReadonlyMap<string, MessageRecord>,
): readonly string[] {
  const users = messages.filter(
    (message) => message.getType() === "human" && records?.get(message.id ?? "")?.isMeta !== true,
  );
  const sentences = users.flatMap((message) => message.text.split(/\n+|(?<=[.!?])\s+/));
  const trimmed = sentences.map((sentence) => sentence.trim());
  return [...new Set(trimmed.filter(setsRule))];
}

/** Returns the share of a sentence's words that are in a text. */
export function coverage(sentence: string, text: string): number {
  const words = wordsOf(sentence);
  const known = new Set(wordsOf(text));
  return words.length === 0 ? 1 : words.filter((word) => known.has(word)).length / words.length;
}

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []).filter((word) => !stop.has(word));
}
