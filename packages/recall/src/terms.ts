import { frequentWords, stemOf } from "./stems.js";
import { words } from "./words.js";

/** Returns what a text is found by: its words, each without its ending, repeats included. Pure. */
export function termsOf(text: string): string[] {
  return words(text).map(stemOf);
}

/** Returns what a question asks for, each once: its words without articles and the like, where it has others. Pure. */
export function askedTerms(query: string): string[] {
  const all = words(query);
  const telling = all.filter((word) => !frequentWords.has(word));
  return [...new Set((telling.length > 0 ? telling : all).map(stemOf))];
}
