import type { Block } from "./indexed-chunk.js";
import type { ReuseIndex } from "./reuse-index.js";
import { byChunk, type ContextSelection } from "./select-context.js";

/**
 * Splits the chunks of a selection's excerpts into parts of about `size` tokens: highest probability per token first, and
 * oldest first within a part. Uses only the chunks of `among`, if set.
 *
 * The next selection most probably shows the first parts again, so the prompt prefix can stay.
 */
export function excerptParts(
  { atoms }: ReuseIndex,
  { excerpts }: Pick<ContextSelection, "excerpts">,
  { size, among }: { readonly size: number; readonly among?: ReadonlySet<number> },
): readonly (readonly number[])[] {
  const rated = [...(among ?? excerpts.keys())].flatMap((chunk) => {
    const blocks = excerpts.get(chunk);
    if (blocks === undefined) return [];
    const seen = new Set<number>();
    let mass = 0;
    let tokens = 0;
    for (const block of blocks) {
      tokens += block.tokens;
      for (const number of block.atoms) {
        if (seen.has(number)) continue;
        seen.add(number);
        mass += atoms.probability[number] ?? 0;
      }
    }
    return [{ chunk, tokens, worth: mass / (tokens + 12) }];
  });
  rated.sort((a, b) => b.worth - a.worth || a.chunk - b.chunk);
  const parts: number[][] = [];
  let room = 0;
  for (const { chunk, tokens } of rated) {
    if (room <= 0) {
      parts.push([]);
      room = size;
    }
    parts.at(-1)?.push(chunk);
    room -= tokens;
  }
  return parts.map((part) => part.sort((a, b) => a - b));
}

/**
 * Returns the selection without its lowest-ranked blocks, shortened by at least `tokens` tokens, or undefined when the
 * blocks have fewer. Pure.
 *
 * Corrects a selection whose assembled text has slightly more tokens than its parts.
 */
export function leaveOut(selection: ContextSelection, tokens: number): ContextSelection | undefined {
  let end = selection.order.length;
  let gone = 0;
  for (; end > 0 && gone < tokens; end--) gone += selection.order[end - 1]?.tokens ?? 0;
  if (gone < tokens) return undefined;
  const order: readonly Block[] = selection.order.slice(0, end);
  const excerpts = byChunk(order);
  return { ...selection, order, excerpts, tokens: selection.tokens - gone };
}
