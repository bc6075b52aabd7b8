/** Places of a word that are looked at. */
const mostPlaces = 20;

/**
 * Returns the part of a text that holds most words of the query, on at most so many characters, and marks what is left out. It
 * is whole lines where one line holds as many words as any part. Pure.
 */
export function excerpt(text: string, query: string, most: number): string {
  if (text.length <= most) return text;
  const words = [...new Set(query.toLowerCase().split(/\s+/))].filter((word) => word.length > 2);
  const held = (part: string): number => {
    const lower = part.toLowerCase();
    return words.filter((word) => lower.includes(word)).length;
  };
  const part = bestPart(text, { words, most, held });
  const lines = bestLines(text, { most, held });
  return lines !== undefined && held(lines) >= held(part) ? lines : part;
}

interface Search {
  readonly most: number;
  /** Returns how many words of the query a text holds. */
  readonly held: (part: string) => number;
}

/** Returns the line with most words and as many lines around it as there is room for; undefined if it is too long itself. */
function bestLines(text: string, { most, held }: Search): string | undefined {
  const lines = text.split("\n");
  const counts = lines.map(held);
  const best = counts.indexOf(Math.max(...counts));
  let [from, end, size] = [best, best + 1, (lines[best] ?? "").length];
  if (size > most) return undefined;
  for (;;) {
    const [after, before] = [lines[end], lines[from - 1]];
    if (after !== undefined && size + after.length < most) {
      size += after.length + 1;
      end += 1;
    } else if (before !== undefined && size + before.length < most) {
      size += before.length + 1;
      from -= 1;
    } else break;
  }
  return marked(lines.slice(from, end).join("\n"), { isFirst: from === 0, isLast: end === lines.length });
}

/** Returns the part with most words, from a little before one of them. */
function bestPart(
  text: string,
  { words, most, held }: Search & { readonly words: readonly string[] },
): string {
  const lower = text.toLowerCase();
  const starts = words.flatMap((word) => placesOf(word, lower)).map((at) => at - Math.floor(most / 8));
  const heldFrom = (from: number): number => held(text.slice(Math.max(0, from), Math.max(0, from) + most));
  const counted = starts.map((at) => ({ at, count: heldFrom(at) }));
  const best = counted.toSorted((one, other) => other.count - one.count || one.at - other.at)[0]?.at ?? 0;
  const from = Math.max(0, Math.min(best, text.length - most));
  const part = text
    .slice(from, from + most)
    .toWellFormed()
    .replaceAll("\ufffd", "");
  return marked(part, { isFirst: from === 0, isLast: from + most >= text.length });
}

function marked(part: string, { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): string {
  return `${isFirst ? "" : "…"}${part}${isLast ? "" : "…"}`;
}

function placesOf(word: string, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(word); at >= 0 && places.length < mostPlaces; at = text.indexOf(word, at + 1))
    places.push(at);
  return places;
}
