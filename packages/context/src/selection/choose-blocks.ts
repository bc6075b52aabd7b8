import TinyQueue from "tinyqueue";
import { blockText, type Block, type ExcerptCosts, type IndexedChunk } from "./indexed-chunk.js";
import type { AtomTable } from "./atom-table.js";

export interface ChooseBlocksOptions {
  readonly budget: number;
  /** Number of chunks so far. */
  readonly chunks: number;
  readonly costs: ExcerptCosts;
}

/** A block with its gain per token. */
interface Rated {
  readonly block: Block;
  readonly density: number;
}

/** Extra weight of a block of the newest chunk, relative to the oldest. */
const recentBonus = 0.3;
/** Minimum tokens left for another block. */
const minTokens = 4;

/**
 * Returns blocks that cover the most probability per token within the budget, and their tokens.
 *
 * Lazy greedy: choosing blocks only lowers the gain of the others, so a block is rated again when it is taken from the
 * heap. Covers the atoms of the chosen blocks. Each chunk pays for its excerpt header once.
 */
export function chooseBlocks(
  atoms: AtomTable,
  live: readonly IndexedChunk[],
  { budget, chunks, costs }: ChooseBlocksOptions,
): { readonly blocks: ReadonlySet<Block>; readonly tokens: number } {
  const opened = new Set<IndexedChunk>();
  const chosen = new Set<Block>();
  const cost = (block: Block) => block.tokens + (opened.has(block.chunk) ? costs.gap : costs.header);
  const rate = (block: Block) => (uncovered(atoms, block) * recency(block, chunks)) / cost(block);
  const rated: Rated[] = [];
  const add = (block: Block, to: { push(rated: Rated): unknown }) => {
    const density = rate(block);
    if (density > 0) to.push({ block, density });
  };
  for (const { blocks } of live) for (const block of blocks) add(block, rated);
  const heap = new TinyQueue(rated, (one, other) => other.density - one.density);
  let used = 0;
  while (budget - used >= minTokens) {
    const block = heap.pop()?.block;
    if (block === undefined) break;
    const tokens = cost(block);
    if (chosen.has(block) || used + tokens > budget) continue;
    const density = rate(block);
    if (density <= 0) continue;
    if (density < (heap.peek()?.density ?? 0)) {
      heap.push({ block, density });
      continue;
    }
    used += tokens;
    chosen.add(block);
    cover(atoms, block.atoms);
    if (opened.has(block.chunk)) continue;
    opened.add(block.chunk);
    // The other blocks of the chunk now cost no header.
    for (const other of block.chunk.blocks) if (!chosen.has(other)) add(other, heap);
  }
  return { blocks: chosen, tokens: used };
}

export interface FillOptions {
  readonly budget: number;
  readonly chosen: ReadonlySet<Block>;
  /** Text that the context already shows. */
  readonly shown: string;
  readonly costs: ExcerptCosts;
}

/** Returns other blocks that fit into room that is left, those of the newest chunks first, and their tokens. No text is shown twice. Pure. */
export function fillNewest(
  live: readonly IndexedChunk[],
  { budget, chosen, shown, costs }: FillOptions,
): { readonly blocks: readonly Block[]; readonly tokens: number } {
  const opened = new Set([...chosen].map(({ chunk }) => chunk));
  const texts = new Set([...chosen].map((block) => blockText(block)));
  const blocks: Block[] = [];
  let used = 0;
  for (const chunk of live.toReversed()) {
    if (budget - used < minTokens) break;
    for (const block of chunk.blocks) {
      const tokens = block.tokens + (opened.has(chunk) ? costs.gap : costs.header);
      if (used + tokens > budget) continue;
      const text = blockText(block);
      if (texts.has(text) || shown.includes(text)) continue;
      texts.add(text);
      used += tokens;
      opened.add(chunk);
      blocks.push(block);
    }
  }
  return { blocks, tokens: used };
}

function uncovered({ open }: AtomTable, block: Block): number {
  let sum = 0;
  for (const number of block.atoms) sum += open[number] ?? 0;
  return sum;
}

/** Marks strings as shown in this selection. */
export function cover({ open }: AtomTable, numbers: readonly number[]): void {
  for (const number of numbers) open[number] = 0;
}

function recency({ chunk }: Block, chunks: number): number {
  return 1 + recentBonus * (1 - Math.log(1 + chunks - chunk.index) / Math.log(2 + chunks));
}
