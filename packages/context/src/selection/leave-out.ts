import { excerptCosts } from "./choose-blocks.js";
import type { Block } from "./indexed-chunk.js";
import { byChunk, type ContextSelection } from "./select-context.js";

/**
 * Returns the selection without the blocks that promise least, `tokens` of four characters of them or a little more;
 * undefined where there are not so many. Pure.
 *
 * For a counter that sees more in a text than was allowed for: a tenth of a percent too much is no reason to select anew.
 */
export function leaveOut(selection: ContextSelection, tokens: number): ContextSelection | undefined {
  let end = selection.order.length;
  let gone = 0;
  for (; end > 0 && gone < tokens; end--) gone += (selection.order[end - 1]?.tokens ?? 0) + excerptCosts.gap;
  if (gone < tokens) return undefined;
  const order: readonly Block[] = selection.order.slice(0, end);
  const excerpts = byChunk(order);
  return { ...selection, order, excerpts, tokens: selection.tokens - gone };
}
