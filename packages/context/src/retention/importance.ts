import type { BaseMessage } from "@langchain/core/messages";
import { messageText } from "../messages/text.js";
import { contentWords } from "../words/words.js";

/** Returns a score for each message of a span. The highest-scored messages stay verbatim; a message with 0 or less never does. */
export type Importance = (messages: readonly BaseMessage[]) => readonly number[];

/** Score below which a message is never kept for its words: "Step 7 done." has 0.06 to 0.08, "All tests pass." 0.17. */
const leastScore = 0.1;

/**
 * Scores messages from 0 to 1 by the rarity of their words, relative to their length (TF-IDF over the span). A score below 0.1
 * is 0, so that room which no message needs stays free.
 *
 * Pure, O(characters). Reads message text, without call arguments.
 */
export function tfIdfImportance(messages: readonly BaseMessage[]): readonly number[] {
  return tfIdfScores(messages.map(messageText)).map((score) => (score < leastScore ? 0 : score));
}

/** Distinct words at which the substance factor reaches 1. */
const fullWords = 16;
/** Text length in characters at which the cost factor is one half. */
const halfCharacters = 200;

/**
 * Returns a score from 0 to 1 for each text: the rarity of its words among all the texts, relative to its length.
 *
 * The product of three factors, each from 0 to 1:
 * - TF-IDF: the sum of `tf * idf` over the words, with the relative frequency `tf = count / words` and
 *   `idf = ln(1 + N / df) / ln(1 + N)`. Repeating a text does not change this factor.
 * - Substance: `min(1, distinct words / 16)`. A single rare word scores below a sentence of rare words.
 * - Cost: `200 / (200 + characters)`. The budget counts length, so the order is by value per length: neither a dump of
 *   unique rows nor one long string outranks a short fact.
 *
 * Pure, O(characters).
 */
export function tfIdfScores(texts: readonly string[]): readonly number[] {
  const bags = texts.map(countWords);
  const documents = new Map<string, number>();
  for (const bag of bags) for (const word of bag.keys()) documents.set(word, (documents.get(word) ?? 0) + 1);
  const highest = Math.log(1 + texts.length);
  return bags.map((bag, at) => {
    let sum = 0;
    let total = 0;
    for (const [word, count] of bag) {
      sum += (count * Math.log(1 + texts.length / (documents.get(word) ?? 1))) / highest;
      total += count;
    }
    if (total === 0) return 0;
    const substance = Math.min(1, bag.size / fullWords);
    const cost = halfCharacters / (halfCharacters + (texts[at] ?? "").length);
    // Rounding can raise the mean of equal weights above 1.
    return Math.min(1, sum / total) * substance * cost;
  });
}

function countWords(text: string): ReadonlyMap<string, number> {
  const bag = new Map<string, number>();
  for (const word of contentWords(text)) bag.set(word, (bag.get(word) ?? 0) + 1);
  return bag;
}
