import type { Block, IndexedChunk } from "./indexed-chunk.js";
import type { ReuseMemory } from "./reuse-weights.js";
import { scoreAtoms } from "./score-atoms.js";

/** Number of newest chunks that are never pruned. */
const keptChunks = 64;
/** Minimum tokens that a block counts as, which bounds the number of candidates: among calls, and in prose. */
const minSize = { calls: 64, prose: 16 };

/**
 * Removes the blocks with the lowest probability per token until the rest is within `candidateTokens`; the user's words
 * go last, because they are brief and hold few of the strings that the probability counts.
 *
 * Deterministic. Searching the archive still finds the removed blocks; a selection does not.
 */
export function pruneIndex(index: ReuseMemory): void {
  scoreAtoms(index);
  const { probability } = index.atoms;
  const newest = index.chunks.length - keptChunks;
  const blocks = index.live.flatMap((chunk) => (chunk.index < newest ? chunk.blocks : []));
  const ranked = blocks.map((block) => ({
    block,
    user: block.chunk.type === "human" ? 1 : 0,
    density: mass(block, probability) / (block.tokens + index.costs.header),
  }));
  ranked.sort(
    (a, b) => a.user - b.user || a.density - b.density || a.block.chunk.index - b.block.chunk.index,
  );
  const pruned = new Set<Block>();
  for (const { block } of ranked) {
    if (index.liveTokens <= index.candidateTokens) break;
    pruned.add(block);
    index.liveTokens -= candidateSize(block);
  }
  const removed = new Map<number, number>();
  for (const chunk of new Set([...pruned].map((block) => block.chunk))) leaveOut(chunk, pruned, removed);
  for (const [number, blocks] of removed) index.atoms.release(number, blocks);
  index.live = index.live.filter(({ blocks: rest }) => rest.length > 0);
  index.words.sweep();
  const files = new Set<unknown>(index.atoms.files);
  for (const [path, file] of index.files) if (!files.has(file)) index.files.delete(path);
}

/**
 * Returns the tokens that a block counts against `candidateTokens`. Prose has few strings to score, so its brief turns may be
 * many: a chat is pruned only when its text is over the limit.
 */
export function candidateSize({ chunk, tokens }: Block): number {
  return Math.max(chunk.calls ? minSize.calls : minSize.prose, tokens);
}

function mass({ atoms }: Block, probability: Float64Array): number {
  let sum = 0;
  for (const number of atoms) sum += probability[number] ?? 0;
  return sum;
}

/** Empties the lines of removed blocks; `removed` counts these blocks for each of their strings. */
function leaveOut(chunk: IndexedChunk, pruned: ReadonlySet<Block>, removed: Map<number, number>): void {
  const gone = chunk.blocks.filter((block) => pruned.has(block));
  chunk.blocks = chunk.blocks.filter((block) => !pruned.has(block));
  for (const { atoms } of gone)
    for (const number of atoms) removed.set(number, (removed.get(number) ?? 0) + 1);
  if (chunk.blocks.length === 0) {
    chunk.lines = nothing;
    chunk.blocks = nothing;
    return;
  }
  for (const { start, end } of gone) {
    for (let at = start; at < end; at++) {
      const line = chunk.lines[at];
      if (line === undefined) continue;
      const { role, continues, starts } = line;
      chunk.lines[at] = { text: "", role, continues, starts, atoms: nothing };
    }
  }
}

const nothing: never[] = [];
