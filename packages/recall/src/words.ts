const compound = /[\p{L}\p{N}_$]+(?:[./:@-][\p{L}\p{N}_$]+)*/gu;
const camel = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
/** Longer ones are no words: encoded bytes, hashes of hashes. They are cut, on both sides alike. */
const longest = 80;

/**
 * Returns the words of a text in lower case, in order: each path, identifier or number as a whole, and its parts.
 *
 * `src/parseUrl.ts` gives `src/parseurl.ts`, `src`, `parseurl`, `parse`, `url`, `ts`. Pure.
 */
export function words(text: string): string[] {
  return [...text.normalize("NFC").matchAll(compound)].flatMap(([whole]) => wordsOf(whole));
}

function wordsOf(whole: string): string[] {
  const names = whole.split(/[./:@-]/);
  const parts = names.flatMap((name) => {
    const pieces = name.split(/[_$]+/).flatMap((piece) => piece.split(camel));
    return [name, ...(pieces.length > 1 ? pieces : [])];
  });
  return [...new Set(names.length > 1 ? [whole, ...parts] : parts)]
    .filter((word) => word !== "")
    .map((word) => word.slice(0, longest).toLowerCase());
}
