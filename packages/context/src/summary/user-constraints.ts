import type { BaseMessage } from "@langchain/core/messages";
import { messageText, sentences } from "../messages/text.js";
import { isSummary } from "../folds/fold.js";

const ruleWords =
  /\b(never|always|don't|do not|must|only|keep|not|should|want|need|instead|rather|without|make sure|stop|no)\b/i;

/**
 * Returns the distinct sentences in which the user sets a rule, verbatim.
 *
 * Reads user messages only: text of a tool, a model or a summary never becomes a rule.
 */
export function userConstraints(messages: readonly BaseMessage[]): readonly string[] {
  const users = messages.filter((message) => message.getType() === "human" && !isSummary(message));
  const found = users
    .flatMap((message) => sentences(messageText(message)))
    .filter((sentence) => sentence.length >= 15 && sentence.length <= 400 && ruleWords.test(sentence));
  return [...new Set(found)];
}

/** True for a sentence that states a decision. */
export function isDecision(sentence: string): boolean {
  return (
    /\b(decided?|will use|chose|going with|because|instead of)\b/i.test(sentence) && sentence.length <= 300
  );
}
