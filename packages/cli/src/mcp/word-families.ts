import { questionTerms, stemmedWords } from "@palimpsest/recall/internal";

/** Words of a question that stand for one word of it. */
const mostRelatives = 6;
/** Names and numbers have no endings, and very long words are data. */
const plainWord = /^[a-z]{4,20}$/;
const ending =
  /(?:ational|ations|ation|ments|ment|ingly|edly|iness|ness|fully|ful|ities|ity|ions|ion|ies|ying|ing|ied|ed|ers|er|ly|es|e|s|y)$/;
/** Shorter stems are common to words that have nothing in common. */
const shortestStem = 3;
const doubled = /([bdgmnprt])\1$/;

/** Returns what a word has in common with its derived forms: `recommend` for `recommendation`. Pure. */
export function familyOf(word: string): string {
  if (!plainWord.test(word)) return word;
  const found = ending.exec(word);
  const stem = found === null || found.index < shortestStem ? word : word.slice(0, found.index);
  return stem.replace(doubled, "$1");
}

/** The words of texts by their families. The index knows the inflected forms of a word; a question often has a derived one. */
export class WordFamilies {
  readonly #members = new Map<string, Set<string>>();

  add(text: string): void {
    for (const word of stemmedWords(text)) {
      if (!plainWord.test(word)) continue;
      const family = familyOf(word);
      const members = this.#members.get(family) ?? new Set();
      this.#members.set(family, members.add(word));
    }
  }

  /** Returns a question with the words of the texts that are relatives of its own. */
  widened(question: string): string {
    const relatives = questionTerms(question).flatMap((word) =>
      [...(this.#members.get(familyOf(word)) ?? [])].filter((one) => one !== word).slice(0, mostRelatives),
    );
    return [question, ...relatives].join(" ");
  }

  clear(): void {
    this.#members.clear();
  }
}
