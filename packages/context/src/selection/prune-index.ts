import type { Block, IndexedChunk } from "./indexed-chunk.js";
import type { ReuseMemory } from "./reuse-weights.js";
import { scoreAtoms } from "./score-atoms.js";

/** Newest chunks that are never left out. */
const keptChunks = 64;
/** Tokens that a block counts as at least: a selection looks at each, and small ones would be many. */
const leastSize = 64;

/**
 * Leaves the blocks to the archive that promise least for their size, until the rest is within `candidateTokens`.
 *
 * Deterministic. What was left out is found by searching the archive, not by the selection.
 */
export function pruneIndex(index: ReuseMemory): void {
  scoreAtoms(index);
  const { probability } = index.atoms;
  const newest = index.chunks.length - keptChunks;
  const blocks = index.live.flatMap((chunk) => (chunk.index < newest ? chunk.blocks : []));
  const ranked = blocks.map((block) => ({
    block,
    density: mass(block, probability) / (block.tokens + index.costs.header),
  }));
  ranked.sort((a, b) => a.density - b.density || a.block.chunk.index - b.block.chunk.index);
  const left = new Set<Block>();
  for (const { block } of ranked) {
    if (index.liveTokens <= index.candidateTokens) break;
    left.add(block);
    index.liveTokens -= candidateSize(block);
  }
  const moved = new Map<number, number>();
  for (const chunk of new Set([...left].map((block) => block.chunk))) leaveOut(chunk, left, moved);
  for (const [number, blocks] of moved) index.atoms.release(number, blocks);
  index.live = index.live.filter(({ blocks: rest }) => rest.length > 0);
  index.words.sweep();
  const files = new Set<unknown>(index.atoms.files);
  for (const [path, file] of index.files) if (!files.has(file)) index.files.delete(path);
}

/** Returns the tokens that a block takes of `candidateTokens`. */
export function candidateSize({ tokens }: Block): number {
  return Math.max(leastSize, tokens);
}

function mass({ atoms }: Block, probability: Float64Array): number {
  let sum = 0;
  for (const number of atoms) sum += probability[number] ?? 0;
  return sum;
}

/** Empties the lines of blocks that are left out; `moved` counts them by the strings in them. */
function leaveOut(chunk: IndexedChunk, left: ReadonlySet<Block>, moved: Map<number, number>): void {
  const gone = chunk.blocks.filter((block) => left.has(block));
  chunk.blocks = chunk.blocks.filter((block) => !left.has(block));
  for (const { atoms } of gone) for (const number of atoms) moved.set(number, (moved.get(number) ?? 0) + 1);
  if (chunk.blocks.length === 0) {
    chunk.lines = nothing;
    chunk.blocks = nothing;
    return;
  }
  for (const { start, end } of gone) {
    for (let at = start; at < end; at++) {
      const line = chunk.lines[at];
      if (line !== undefined) chunk.lines[at] = { ...line, text: "", atoms: nothing };
    }
  }
}

const nothing: never[] = [];
