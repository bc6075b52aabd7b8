import type { BaseMessage } from "@langchain/core/messages";
import { messageText, sentences } from "../messages/text.js";
import { isSummary } from "../folds/fold.js";

const words =
  /\b(never|always|don't|do not|must|only|keep|not|should|want|need|instead|rather|without|make sure|stop|no)\b/i;

/**
 * Returns the sentences in which the user sets a rule, word for word, each once.
 *
 * Only messages of the user are read: what a tool, a model or a summary says is never taken for a rule.
 */
export function userConstraints(messages: readonly BaseMessage[]): readonly string[] {
  const users = messages.filter((message) => message.getType() === "human" && !isSummary(message));
  const found = users
    .flatMap((message) => sentences(messageText(message)))
    .filter((sentence) => sentence.length >= 15 && sentence.length <= 400 && words.test(sentence));
  return [...new Set(found)];
}

/** True for a sentence in which the agent says what it has decided. */
export function isDecision(sentence: string): boolean {
  return (
    /\b(decided?|will use|chose|going with|because|instead of)\b/i.test(sentence) && sentence.length <= 300
  );
}
