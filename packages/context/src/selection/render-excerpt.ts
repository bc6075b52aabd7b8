import type { Block, IndexedChunk } from "./indexed-chunk.js";
import { linesText } from "./rank-blocks.js";

/** Stands where lines of a chunk are left out. */
const gapMark = "⋮";

/**
 * Returns the chosen lines of a chunk behind a line that says where they come from, `[name:first line]`. Pure.
 *
 * `first line` is that of the chunk's file in the archive, counted from 1.
 */
export function renderExcerpt(chunk: IndexedChunk, blocks: readonly Block[], name: string): string {
  const [first] = blocks;
  if (first === undefined) return "";
  const parts = [`[${name}:${fileLine(chunk, first.start)}]`];
  let end = first.start;
  for (const block of blocks) {
    const text = linesText(chunk, block.start, block.end);
    if (block.start > end) parts.push(gapMark, text);
    else if (chunk.lines[block.start]?.continues === true && block !== first)
      parts.push((parts.pop() ?? "") + text);
    else parts.push(text);
    end = block.end;
  }
  return parts.join("\n");
}

function fileLine({ lines }: IndexedChunk, at: number): number {
  return 1 + lines.slice(0, at + 1).filter(({ continues }, index) => index > 0 && !continues).length;
}
