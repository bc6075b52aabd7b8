/** Lines of a text that are erased wherever they stand alone, from so many characters on. */
const minLine = 16;
/** Characters of base64 that stand for a text and not for anything else. */
const minBase64 = 12;

/** Returns the forms in which a text is stored: as it is, inside JSON, in a URL, and its lines. Pure. */
export function formsOf(text: string): readonly string[] {
  const inJson = JSON.stringify(text).slice(1, -1);
  const inJsonTwice = JSON.stringify(inJson).slice(1, -1);
  const lines = text.includes("\n") ? text.split("\n").map((line) => line.trim()) : [];
  // The first and the last line of a key say only that it is one.
  const alone = lines.filter((line) => line.length >= minLine && !line.startsWith("-----"));
  return [...new Set([inJsonTwice, inJson, text, encodeURIComponent(text.toWellFormed()), ...alone])];
}

/** Returns an expression for any of the sources, the longest first; none for no sources. Pure. */
export function anyOf(sources: readonly string[]): readonly RegExp[] {
  const longestFirst = sources.toSorted((one, other) => other.length - one.length);
  return sources.length === 0 ? [] : [new RegExp(longestFirst.join("|"), "g")];
}

/** Puts a tombstone in the place of each run of base64 in which the expression matches. Pure. */
export function withoutBase64(text: string, expression: RegExp, tombstone: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const { index, 0: form } of text.matchAll(expression)) {
    if (index < done) continue;
    let [start, end] = [index, index + form.length];
    while (start > done && isBase64(text.charCodeAt(start - 1))) start -= 1;
    while (end < text.length && isBase64(text.charCodeAt(end))) end += 1;
    parts.push(text.slice(done, start), tombstone);
    done = end;
  }
  return done === 0 ? text : parts.join("") + text.slice(done);
}

/**
 * Returns the part of the base64 of a text that does not depend on what stands before and after it, for each of three offsets. None
 * for a short text, whose base64 also stands for other things. Pure.
 */
export function base64Forms(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const forms = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
  const inUrls = forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
  return [...new Set([...forms, ...inUrls])].filter((form) => form.length >= minBase64);
}

function isBase64(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    special.has(code)
  );
}

/** `+`, `/`, `-`, `_` and `=`. */
const special: ReadonlySet<number> = new Set([43, 47, 45, 95, 61]);

export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}
