import { lazyRegExp } from "../once.js";
import { hasUnspaced, splitUnspaced } from "./unspaced.js";

// oxlint-disable-next-line no-control-regex -- the class is all of ASCII
const ascii = /^[\u0000-\u007f]*$/;
const asciiWord = /\d+(?:[.,]\d+)*|[a-z_$][a-z0-9_$]*/g;
/** The same in any script. ASCII text takes the path without Unicode tables, which is several times faster. */
const anyWord = lazyRegExp(String.raw`\d+(?:[.,]\d+)*|[\p{L}\p{N}_$][\p{L}\p{M}\p{N}_$]*`, "gu");

/**
 * Returns the words of a text in lower case, in order: numbers with their decimals, and runs of letters, marks, digits,
 * `_` and `$` that do not start with a digit. Where a script puts no spaces between words, and in Korean, every two neighbouring characters are a word:
 * `数据库` gives `数据`, `据库`. Pure, O(characters).
 *
 * Pairs, not `Intl.Segmenter`: docs/decisions/pairs-of-characters.md has the figures.
 */
export function words(text: string): readonly string[] {
  const lower = text.toLowerCase();
  if (ascii.test(lower)) return lower.match(asciiWord) ?? [];
  const found = lower.normalize("NFC").match(anyWord()) ?? [];
  return found.flatMap((word) => (ascii.test(word) ? word : splitUnspaced(word)));
}

const minLetters = 3;
const number = /^\d\d/;

/**
 * Returns the words that say something of a text's subject: those of three characters or more, numbers of two digits or more,
 * and the pairs of a script without spaces. Pure.
 */
export function contentWords(text: string): readonly string[] {
  return words(text).filter((word) => word.length >= minLetters || number.test(word) || hasUnspaced(word));
}
