import type { Block, ExcerptCosts, IndexedChunk } from "./indexed-chunk.js";
import type { AtomTable } from "./atom-table.js";

export interface ChooseBlocksOptions {
  readonly budget: number;
  /** Number of chunks so far. */
  readonly chunks: number;
  readonly costs: ExcerptCosts;
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
  const rated: Rated<Block>[] = [];
  const add = (value: Block, to: { push(rated: Rated<Block>): unknown }) => {
    const density = rate(value);
    if (density > 0) to.push({ value, density });
  };
  for (const { blocks } of live) for (const block of blocks) add(block, rated);
  const heap = new DensityHeap(rated);
  let used = 0;
  while (budget - used >= minTokens) {
    const block = heap.take();
    if (block === undefined) break;
    const tokens = cost(block);
    if (chosen.has(block) || used + tokens > budget) continue;
    const density = rate(block);
    if (density <= 0) continue;
    if (density < heap.best) {
      heap.push({ value: block, density });
      continue;
    }
    used += tokens;
    chosen.add(block);
    cover(atoms, block.atoms);
    if (opened.has(block.chunk)) continue;
    opened.add(block.chunk);
    // The other blocks of the chunk now cost no header.
    for (const value of block.chunk.blocks) if (!chosen.has(value)) add(value, heap);
  }
  return { blocks: chosen, tokens: used };
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

/** A value with its gain per token. */
export interface Rated<Value> {
  readonly value: Value;
  readonly density: number;
}

/** A max-heap by density. Builds in O(n); `push` and `take` cost O(log n). */
export class DensityHeap<Value> {
  readonly #items: Rated<Value>[];

  constructor(items: readonly Rated<Value>[]) {
    this.#items = [...items];
    for (let at = (this.#items.length >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  /** Highest density, or -Infinity when empty. */
  get best(): number {
    return this.#items[0]?.density ?? -Infinity;
  }

  push(item: Rated<Value>): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent];
      if (above === undefined || above.density >= item.density) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  take(): Value | undefined {
    const [first] = this.#items;
    const last = this.#items.pop();
    if (first === undefined || last === undefined) return undefined;
    if (this.#items.length > 0) {
      this.#items[0] = last;
      this.#sink(0);
    }
    return first.value;
  }

  #sink(start: number): void {
    const items = this.#items;
    const item = items[start];
    if (item === undefined) return;
    let at = start;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const child = (items[right]?.density ?? -Infinity) > (items[left]?.density ?? -Infinity) ? right : left;
      const below = items[child];
      if (below === undefined || below.density <= item.density) break;
      items[at] = below;
      at = child;
    }
    items[at] = item;
  }
}
