import type { BaseMessage } from "@langchain/core/messages";
import { messageText } from "../message-text.js";
import { messageLines } from "../selection/message-lines.js";
import { tfIdfScores } from "../tf-idf.js";
import { atomsOf, reuseLikelihoods } from "./reuse-likelihoods.js";

/** Returns a score for each message of a span; the higher, the better it stays word for word. */
export type Importance = (messages: readonly BaseMessage[]) => readonly number[];

/** Scores messages by the words that they share with few others (TF-IDF over the span). Pure, O(words). */
export function tfIdfImportance(messages: readonly BaseMessage[]): readonly number[] {
  return tfIdfScores(messages.map(messageText));
}

/** Scores messages by what a later call is likely to use of them, a token. Pure. */
export function reuseImportance(messages: readonly BaseMessage[]): readonly number[] {
  const weights = reuseLikelihoods(messages);
  return messages.map((message) => {
    const lines = messageLines(message);
    const atoms = new Set(lines.flatMap(atomsOf));
    const characters = lines.reduce((sum, { text }) => sum + text.length, 0);
    const worth = [...atoms].reduce((sum, atom) => sum + (weights.get(atom) ?? 0), 0);
    return worth / (50 + characters);
  });
}
