import type { BaseMessage } from "@langchain/core/messages";
import { messageText } from "../message-text.js";
import { messageLines } from "../selection/message-lines.js";
import { tfIdfScores } from "../tf-idf.js";
import { atomsOf, reuseLikelihoods } from "./reuse-likelihoods.js";

/** Returns a score for each message of a span. The highest stay word for word; a message with 0 or less never does. */
export type Importance = (messages: readonly BaseMessage[]) => readonly number[];

/**
 * Scores messages from 0 to 1 by the words that they share with few others, for their length (TF-IDF over the span).
 *
 * Pure, O(characters). Reads the text of a message and not the arguments of its calls.
 */
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
