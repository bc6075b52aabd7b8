import type { BaseMessage } from "@langchain/core/messages";
import { isUserMessage } from "../folds/fold.js";
import { messageText, sentences } from "../messages/text.js";
import { hasRuleWord } from "../retention/rule-words.js";
import { lazyRegExp } from "../once.js";

/** UTF-16 units of a rule. A character of a script without spaces stands for about four others. */
const lengths = { least: 15, leastDense: 4, most: 400 };
const dense = lazyRegExp(
  String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]`,
  "u",
);

/**
 * Returns the distinct sentences in which the user sets a rule, verbatim.
 *
 * Reads user messages only: text of a tool, a model or a summary never becomes a rule. Finds rules by words of some
 * twenty languages; {@link userLines} does not depend on them.
 */
export function userConstraints(messages: readonly BaseMessage[]): readonly string[] {
  const users = messages.filter(isUserMessage);
  return [...new Set(users.flatMap((message) => sentences(messageText(message))).filter(isRule))];
}

/** True for a sentence of the length of a rule, with a word that forbids or demands. */
export function isRule(sentence: string): boolean {
  if (sentence.length > lengths.most) return false;
  if (sentence.length < (dense().test(sentence) ? lengths.leastDense : lengths.least)) return false;
  return hasRuleWord(sentence);
}

/** True for a sentence that states a decision. */
export function isDecision(sentence: string): boolean {
  return (
    /\b(decided?|will use|chose|going with|because|instead of)\b/i.test(sentence) && sentence.length <= 300
  );
}
