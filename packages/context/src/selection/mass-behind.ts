import { excerptCosts } from "./choose-blocks.js";
import type { Block, IndexedChunk } from "./indexed-chunk.js";
import type { ReuseIndex } from "./reuse-index.js";
import type { ContextSelection, KeptContext, SelectContextOptions } from "./select-context.js";
import { wholeChunks } from "./whole-chunks.js";

/** What sums in another order may differ by. */
const rounding = 1e-9;

/** Nested beginnings in, the shortest first; what a context behind each would show out. */
export type MassBehind = (beginnings: readonly KeptContext[]) => readonly number[];

/**
 * Returns how to find how much of what the next call uses a context behind a beginning would show, by the blocks that were
 * chosen without one: those of them that still promise as much for their size as the last did; 0 where what stays whole
 * does not fit behind it.
 *
 * By probabilities that are up to date. A pass over the chosen blocks each, where a selection looks at all there are.
 */
export function massBehind(
  index: ReuseIndex,
  anew: ContextSelection,
  options: Omit<SelectContextOptions, "kept">,
): MassBehind {
  const { chunks, atoms } = index;
  const least = leastDensity(new Showing(atoms.probability), anew, chunks);
  return function massesBehind(beginnings) {
    const standing = new Showing(atoms.probability);
    let told = 0;
    return beginnings.map((kept) => {
      for (; told < kept.texts.length; told++) standing.cover(index.atomsIn(kept.texts[told] ?? ""));
      for (const at of kept.whole) standing.coverChunk(chunks[at]);
      const showing = new Showing(standing);
      const whole = wholeChunks(index, { ...options, kept });
      let room = options.budget - kept.tokens;
      for (const at of whole.keys()) {
        const tokens = chunks[at]?.tokens ?? 0;
        const sent = options.unseen?.get(at) ?? tokens;
        room -= sent;
        if (sent >= tokens) showing.coverChunk(chunks[at]);
      }
      if (room < 0) return 0;
      for (const block of anew.order) {
        if (whole.has(block.chunk.index) || kept.whole.has(block.chunk.index)) continue;
        const tokens = showing.cost(block);
        if (tokens > room + rounding || showing.promise(block) < least * tokens) continue;
        room -= tokens;
        showing.take(block);
      }
      return showing.mass;
    });
  };
}

/** What the last of the chosen blocks promised for its size. */
function leastDensity(showing: Showing, { whole, order }: ContextSelection, chunks: readonly IndexedChunk[]) {
  let least = Infinity;
  for (const at of whole.keys()) showing.coverChunk(chunks[at]);
  for (const block of order) {
    const density = showing.promise(block) / showing.cost(block);
    // What words have found may promise nothing: it is not taken behind a beginning, so it pays no header here either.
    if (density <= 0) continue;
    least = Math.min(least, density);
    showing.take(block);
  }
  return least * (1 - rounding);
}

/** What a context shows as it is put together: a string that is shown once counts once. */
class Showing {
  readonly #open: Float64Array;
  readonly #opened = new Set<IndexedChunk>();
  mass = 0;

  /** Begins with nothing shown, or with what another shows. */
  constructor(from: Float64Array | Showing) {
    this.#open = (from instanceof Showing ? from.#open : from).slice();
    if (from instanceof Showing) this.mass = from.mass;
  }

  cover(numbers: readonly number[]): void {
    for (const number of numbers) {
      this.mass += this.#open[number] ?? 0;
      this.#open[number] = 0;
    }
  }

  coverChunk(chunk: IndexedChunk | undefined): void {
    for (const { atoms } of chunk?.lines ?? []) this.cover(atoms);
  }

  promise({ atoms }: Block): number {
    let sum = 0;
    for (const number of atoms) sum += this.#open[number] ?? 0;
    return sum;
  }

  cost({ chunk, tokens }: Block): number {
    return tokens + (this.#opened.has(chunk) ? excerptCosts.gap : excerptCosts.header);
  }

  take(block: Block): void {
    this.#opened.add(block.chunk);
    this.cover(block.atoms);
  }
}
