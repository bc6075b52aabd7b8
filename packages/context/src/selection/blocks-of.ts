import type { Block, IndexedChunk, IndexedLine } from "./indexed-chunk.js";

/** Lines of a block at most, and before a blank line ends it. */
const mostLines = 8;
const leastLines = 4;
/** Lines of an edit or a write that stay with its head: which tool, which file, and how its text begins. */
const headLines = 2;
/** Characters of a head at least: what stands between the two sides of an edit is none. */
const leastHead = 20;

/** Returns the lines of a chunk as blocks. A block lies in one message. Pure, O(lines). */
export function blocksOf(chunk: IndexedChunk): readonly Block[] {
  const { lines } = chunk;
  const blocks: Block[] = [];
  let start = 0;
  for (let end = 1; end <= lines.length; end++) {
    if (!endsBlock(lines, start, end)) continue;
    blocks.push(blockOf(chunk, start, end));
    start = end;
  }
  return blocks;
}

function endsBlock(lines: readonly IndexedLine[], start: number, end: number): boolean {
  const next = lines[end];
  if (next === undefined || next.starts || end - start >= mostLines) return true;
  if (lines[end - 1]?.text.trim() === "" && end - start >= leastLines) return true;
  const head = lines[end - headLines - 1];
  const side = lines[end - headLines];
  const isSide = side?.role === "old" || side?.role === "new";
  return isSide && end - start > headLines && head?.role === "argument" && head.text.length >= leastHead;
}

function blockOf(chunk: IndexedChunk, start: number, end: number): Block {
  const atoms = new Set<number>();
  let characters = 0;
  for (const line of chunk.lines.slice(start, end)) {
    characters += line.text.length + 1;
    for (const atom of line.atoms) atoms.add(atom);
  }
  return { chunk, start, end, tokens: characters / 4, atoms: [...atoms] };
}
