import { splitUnspaced, stem, unspacedClass } from "@palimpsest/context/words";

const compound = /[\p{L}\p{N}_$][\p{L}\p{M}\p{N}_$]*(?:[./:@-][\p{L}\p{N}_$][\p{L}\p{M}\p{N}_$]*)*/gu;
/** The same for ASCII text, in a fraction of the time. */
const asciiCompound = /[A-Za-z0-9_$]+(?:[./:@-][A-Za-z0-9_$]+)*/g;
const notAscii = /[^\0-\x7F]/;
/** Hot path: most words of a text have no parts. */
const plain = /^(?:[A-Z]?[a-z]+|\d+)$/;
const camel = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
/** Characters that are found alone, wherever they are: those of a script without spaces, and pictographs. */
const unspacedLetter = new RegExp(`(?=\\p{L})[${unspacedClass}]`, "gu");
const pictograph = /\p{Extended_Pictographic}/gu;
/** Marks of the scripts in which a word is often typed without them. In other scripts they tell words apart. */
const accents = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{M}*)\p{M}/gu;
/** Letters that Unicode does not take apart. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ı: "i",
};
/** Longer words are encoded data. They are cut, in texts and questions alike. */
const maxWordLength = 80;

/**
 * Returns the words of a text in lower case, in order: each path, identifier or number as a whole, followed by its parts.
 *
 * `src/parseUrl.ts` gives `src/parseurl.ts`, `src`, `parseurl`, `parse`, `url`, `ts`. Words in scripts without spaces are split
 * as by `words` of `@palimpsest/context`: `数据库` gives `数据`, `据库`. An accented word is followed by the same without accents:
 * `café` gives `café`, `cafe`, so that the exact spelling matches twice. Pure.
 */
export function words(text: string): string[] {
  const isAscii = !notAscii.test(text);
  const wholes = isAscii ? text.match(asciiCompound) : text.normalize("NFC").match(compound);
  const found: string[] = [];
  for (const whole of wholes ?? []) {
    if (plain.test(whole)) found.push(whole.slice(0, maxWordLength).toLowerCase());
    else found.push(...partsOf(whole));
  }
  return isAscii ? found : found.flatMap(withPlain);
}

function withPlain(word: string): string | string[] {
  if (!notAscii.test(word)) return word;
  const plainWord = word
    .normalize("NFD")
    .replace(accents, "")
    .normalize("NFC")
    .replace(/[ßæœøłđı]/g, (letter) => plainLetters[letter] ?? letter);
  return plainWord === word ? word : [word, plainWord];
}

function partsOf(whole: string): string[] {
  const names = whole.split(/[./:@-]/);
  const parts = names.flatMap((name) => splitUnspaced(name, piecesOf));
  return [...new Set(names.length > 1 ? [whole, ...parts] : parts)]
    .filter((word) => word !== "")
    .map((word) => word.slice(0, maxWordLength).toLowerCase());
}

function piecesOf(name: string): readonly string[] {
  const pieces = name.split(/[_$]+/).flatMap((piece) => (hasCapital(piece) ? piece.split(camel) : piece));
  return pieces.length > 1 ? [name, ...pieces] : [name];
}

function hasCapital(name: string): boolean {
  return name !== name.toLowerCase();
}

/** Stop words. */
export const frequentWords: ReadonlySet<string> = new Set(
  (
    "a an and are as at be been but by can could did do does for from had has have he her him his how i if in into is it " +
    "its me my no not of on or our she so than that the their them then there these they this those to was we were what " +
    "when where which who whom whose why will with would you your"
  ).split(" "),
);

const letters = /^[a-z]+$/;

/** Returns a plain word without its ending, so that its forms match; any other word unchanged. Pure. */
export function stemOf(word: string): string {
  return letters.test(word) ? stem(word) : word;
}

/** Returns the stemmed words of a text, in order. Pure. */
export function stemmedWords(text: string): string[] {
  return words(text).map(stemOf);
}

/** Returns the terms to index a text by, with repeats: its stemmed words, and the characters that are found alone. Pure. */
export function termsOf(text: string): string[] {
  const stems = stemmedWords(text);
  if (!notAscii.test(text)) return stems;
  return [...stems, ...(text.match(unspacedLetter) ?? []), ...pictographsOf(text)];
}

/** Returns each pictograph as `u1f600`: no tokenizer of an engine takes it for punctuation. */
function pictographsOf(text: string): string[] {
  return (text.match(pictograph) ?? []).map((one) => `u${one.codePointAt(0)?.toString(16)}`);
}

/**
 * Returns the terms of a question, each once: its stemmed words and its pictographs, without stop words unless it has nothing
 * else. Pure.
 */
export function questionTerms(query: string): string[] {
  const all = [...words(query), ...pictographsOf(query)];
  const telling = all.filter((word) => !frequentWords.has(word));
  return [...new Set((telling.length > 0 ? telling : all).map(stemOf))];
}
