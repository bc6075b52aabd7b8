import { clipTokens } from "./clip-tokens.js";
import type { BlockTextOptions } from "./block-text-options.js";
import { tellingPart, tellingWeight } from "./telling-part.js";

const separator = "; ";

/**
 * Returns the automatic summary of several blocks: their most telling pieces, in order, within `most` tokens.
 *
 * Pure, calls no model. Pieces with identifiers that no other piece has come first; every block leaves a trace as long
 * as there is room for it.
 */
export function macroText(texts: readonly string[], { most, count, sought }: BlockTextOptions): string {
  const all = texts.join(separator);
  if (count(all) <= most) return all;
  const share = Math.floor(most / texts.length) - 1;
  if (share < 8) return spread(texts, { most, count, sought });
  const clipped = texts.map((text) => shortened(text, { most: share, count, sought }));
  return clipTokens(clipped.join(separator), most, count);
}

/** Where there are too many texts for a share each, the most telling ones of them. */
function spread(texts: readonly string[], { most, count, sought }: BlockTextOptions): string {
  const kept = Math.max(1, Math.floor(most / 10));
  const ranked = texts
    .map((text, index) => ({ index, score: tellingWeight(text, sought) }))
    .toSorted((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, kept);
  const chosen = ranked.toSorted((a, b) => a.index - b.index).map(({ index }) => texts[index] ?? "");
  const share = Math.max(1, Math.floor(most / chosen.length) - 1);
  return clipTokens(
    chosen.map((text) => tellingPart(text, { most: share, count, sought })).join(separator),
    most,
    count,
  );
}

/** Drops the pieces of a text that say least for their tokens until the rest fits. */
function shortened(text: string, { most, count, sought }: BlockTextOptions): string {
  const pieces = text.split(/(?:; | \| )/).filter((piece) => piece !== "");
  const sized = pieces.map((piece, index) => {
    const tokens = count(piece) + 1;
    return { piece, index, tokens, worth: tellingWeight(piece, sought) / tokens };
  });
  let left = sized.reduce((sum, { tokens }) => sum + tokens, 0);
  const dropped = new Set<number>();
  for (const { index, tokens } of sized.toSorted((a, b) => a.worth - b.worth || a.index - b.index)) {
    if (left <= most || dropped.size === pieces.length - 1) break;
    dropped.add(index);
    left -= tokens;
  }
  const kept = pieces.filter((_, index) => !dropped.has(index));
  return tellingPart(kept.join(separator), { most, count, sought });
}
