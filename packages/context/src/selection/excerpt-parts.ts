import type { ReuseIndex } from "./reuse-index.js";
import type { ContextSelection } from "./select-context.js";

/**
 * Returns the chunks of a selection's excerpts in parts of about `size` tokens: those that promise most for their size
 * first, and in each part the oldest first. Of `among` where that is given.
 *
 * What promises most is what the next selection most probably shows again, so the prompt's beginning can stay.
 */
export function excerptParts(
  { atoms }: ReuseIndex,
  { excerpts }: Pick<ContextSelection, "excerpts">,
  { size, among }: { readonly size: number; readonly among?: ReadonlySet<number> },
): readonly (readonly number[])[] {
  const rated = [...excerpts].flatMap(([chunk, blocks]) => {
    if (among?.has(chunk) === false) return [];
    const numbers = new Set(blocks.flatMap((block) => block.atoms));
    let mass = 0;
    for (const number of numbers) mass += atoms.probability[number] ?? 0;
    const tokens = blocks.reduce((sum, block) => sum + block.tokens, 0);
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
