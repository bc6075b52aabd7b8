import { once } from "../once.js";

/**
 * Scripts whose words are found by pairs of characters: those that put no spaces between words, and Hangul, whose words carry
 * endings (`예산을`, `예산은`).
 */
const scripts = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"];

/** Their characters, as the inside of a character class. */
export const unspacedClass = scripts.map((script) => String.raw`\p{scx=${script}}`).join("");

const patterns = once(() => ({
  some: new RegExp(`[${unspacedClass}]`, "u"),
  runs: new RegExp(`[${unspacedClass}]+|[^${unspacedClass}]+`, "gu"),
}));

const surrogate = /[\uD800-\uDFFF]/;

/** True for a text with a character of such a script. */
export function hasUnspaced(text: string): boolean {
  return patterns().some.test(text);
}

/**
 * Returns the pieces of a word: every two neighbouring characters of such a script, and the runs of other characters, each
 * through `others`. A character that stands alone is a piece. Pure.
 */
export function splitUnspaced(
  word: string,
  others: (run: string) => readonly string[] = (run) => [run],
): readonly string[] {
  if (!hasUnspaced(word)) return others(word);
  return (word.match(patterns().runs) ?? []).flatMap((run) =>
    hasUnspaced(run) ? pairsOf(run) : others(run),
  );
}

function pairsOf(run: string): readonly string[] {
  const characters = surrogate.test(run) ? Array.from(run) : run;
  const pairs: string[] = [];
  for (let at = 1; at < characters.length; at++) pairs.push(`${characters[at - 1]}${characters[at]}`);
  return characters.length === 1 ? [run] : pairs;
}
