const compound = /[\p{L}\p{N}_$]+(?:[./:@-][\p{L}\p{N}_$]+)*/gu;
/** The same for plain ASCII, where it takes a fraction of the time. */
const asciiCompound = /[A-Za-z0-9_$]+(?:[./:@-][A-Za-z0-9_$]+)*/g;
const notAscii = /[^\0-\x7F]/;
/** Most words of a text: nothing in them to split. */
const plain = /^(?:[A-Z]?[a-z]+|\d+)$/;
const camel = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
/** Longer ones are no words: encoded bytes, hashes of hashes. They are cut, on both sides alike. */
const longest = 80;

/**
 * Returns the words of a text in lower case, in order: each path, identifier or number as a whole, and its parts.
 *
 * `src/parseUrl.ts` gives `src/parseurl.ts`, `src`, `parseurl`, `parse`, `url`, `ts`. Pure.
 */
export function words(text: string): string[] {
  const wholes = notAscii.test(text) ? text.normalize("NFC").match(compound) : text.match(asciiCompound);
  const found: string[] = [];
  for (const whole of wholes ?? []) {
    if (plain.test(whole)) found.push(whole.slice(0, longest).toLowerCase());
    else found.push(...partsOf(whole));
  }
  return found;
}

function partsOf(whole: string): string[] {
  const names = whole.split(/[./:@-]/);
  const parts = names.flatMap((name) => {
    const pieces = name.split(/[_$]+/).flatMap((piece) => (hasCapital(piece) ? piece.split(camel) : piece));
    return pieces.length > 1 ? [name, ...pieces] : name;
  });
  return [...new Set(names.length > 1 ? [whole, ...parts] : parts)]
    .filter((word) => word !== "")
    .map((word) => word.slice(0, longest).toLowerCase());
}

function hasCapital(name: string): boolean {
  return name !== name.toLowerCase();
}
