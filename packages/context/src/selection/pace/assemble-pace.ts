import type { PaceChunk, PaceLevel } from "./pace-chunk.js";

export interface PaceChoice {
  readonly chunk: PaceChunk;
  readonly level: PaceLevel;
}

export interface AssembledStep extends PaceChoice {
  /** What stands in the context. */
  readonly text: string;
  /** The level was asked for and is not written yet: the text is the whole content or the placeholder. */
  readonly fellBack: boolean;
}

/**
 * Returns what stands for each past step (PACE, 3.2 context, 3.2 fallback). Pure.
 *
 * A representation that is not written yet is replaced by the whole content while `spare` characters last, else by the
 * placeholder.
 */
export function assemblePace(choices: readonly PaceChoice[], spare: number): readonly AssembledStep[] {
  let left = spare;
  return choices.map((choice) => {
    const { chunk, level } = choice;
    if (level === "full") return { ...choice, text: chunk.full, fellBack: false };
    if (level === "placeholder") return { ...choice, text: chunk.placeholder, fellBack: false };
    const written = chunk[level];
    if (written !== undefined) return { ...choice, text: written, fellBack: false };
    const isWhole = chunk.full.length <= left;
    if (isWhole) left -= chunk.full.length;
    return { ...choice, text: isWhole ? chunk.full : chunk.placeholder, fellBack: true };
  });
}
