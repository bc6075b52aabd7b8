import type { Block, ExcerptCosts, IndexedChunk } from "./indexed-chunk.js";
import type { ReuseIndex } from "./reuse-index.js";
import { scoreAtoms } from "./score-atoms.js";
import {
  selectScored,
  type ContextSelection,
  type KeptContext,
  type SelectContextOptions,
} from "./select-context.js";
import { wholeChunks } from "./whole-chunks.js";

export interface SelectOnwardOptions extends Omit<SelectContextOptions, "kept"> {
  /** Prefixes of the current context, any of which may stay; shortest first, each an extension of the one before. */
  readonly prefixes: readonly KeptContext[];
  /** Tokens at which the next selection is due; `budget` limits this one. */
  readonly limit: number;
  /** Value of an unchanged prompt prefix for one step, as a share of the probability mass that the context shows. @default 0.09 */
  readonly keepWorth?: number;
}

/** Maximum prefixes to try. */
const maxTried = 16;
const every = 3;
/** Number of newest chunks that determine the growth of the context. */
const measured = 16;

/**
 * Selects the context after the prefix that is most valuable to keep, and returns that prefix; selects a whole new context
 * when no prefix is worth keeping.
 *
 * A prompt cache stores a prompt's prefix. Changing the prefix costs once and its gain lasts until the next selection, so
 * fewer steps until then favour a longer prefix.
 */
export function selectOnward(
  index: ReuseIndex,
  options: SelectOnwardOptions,
): { readonly selection: ContextSelection; readonly kept: KeptContext | undefined } {
  const { prefixes, budget, limit, keepWorth = 0.09, ...rest } = options;
  scoreAtoms(index, options.weights);
  const fresh = selectScored(index, options);
  const words = wordsOf(index, fresh);
  const fits = ({ tokens, end, whole }: KeptContext) =>
    tokens < budget && words.every((at) => at > end || whole.has(at));
  const tried = spread(prefixes.filter(fits));
  if (tried.length === 0) return { selection: fresh, kept: undefined };
  const price = (keepWorth * fresh.mass) / stepsBetween(index, limit - budget) / limit;
  const massesBehind = massBehind(index, fresh, { ...rest, budget });
  const worthsOf = (some: readonly KeptContext[]) => {
    const masses = massesBehind(some);
    return some.map((kept, at) => ({ kept, worth: (masses[at] ?? 0) + price * kept.tokens }));
  };
  const { kept, worth } = mostWorth(tried, worthsOf);
  if (kept === undefined || worth <= fresh.mass) return { selection: fresh, kept: undefined };
  const selection = selectScored(index, { ...options, kept });
  const isWorth = selection.tokens <= budget && selection.mass + price * kept.tokens > fresh.mass;
  return isWorth ? { selection, kept } : { selection: fresh, kept: undefined };
}

/** Returns the user messages and pins of a new selection: a prefix that covers one without containing it cannot stay. */
function wordsOf({ users, pins }: ReuseIndex, { whole }: ContextSelection): readonly number[] {
  return [...users, ...pins].flatMap(({ index }) => (whole.has(index) ? [index] : []));
}

interface Worth {
  readonly kept: KeptContext | undefined;
  readonly worth: number;
}

/** Returns the most valuable prefix: tries every third, then the neighbours of the best. Neighbours have similar values. */
function mostWorth(
  tried: readonly KeptContext[],
  worthsOf: (some: readonly KeptContext[]) => readonly Worth[],
): Worth {
  const isThird = (at: number) => (tried.length - 1 - at) % every === 0;
  const best = (some: readonly Worth[]) =>
    some.reduce((top, one) => (one.worth > top.worth ? one : top), { kept: undefined, worth: 0 });
  const thirds = best(worthsOf(tried.filter((_, at) => isThird(at))));
  const found = tried.findIndex((kept) => kept === thirds.kept);
  const beside = tried.filter((_, at) => !isThird(at) && Math.abs(at - found) < every);
  return best([thirds, ...worthsOf(beside)]);
}

/** Returns the number of steps in which the context grows by `tokens`, plus the current one. */
function stepsBetween({ chunks }: ReuseIndex, tokens: number): number {
  const newest = chunks.slice(-measured);
  const mean = newest.reduce((sum, chunk) => sum + chunk.tokens, 0) / Math.max(1, newest.length);
  return 1 + tokens / Math.max(1, mean);
}

/** Returns at most {@link maxTried} prefixes, evenly spaced, in order. */
function spread(prefixes: readonly KeptContext[]): readonly KeptContext[] {
  const stride = Math.max(1, prefixes.length / maxTried);
  const chosen = Array.from({ length: Math.min(maxTried, prefixes.length) }, (_, nth) => {
    return prefixes[prefixes.length - 1 - Math.floor(nth * stride)];
  });
  return chosen.toReversed().flatMap((one) => one ?? []);
}

/** Tolerance for sums in a different order. */
const rounding = 1e-9;

/** Maps nested prefixes, shortest first, to the probability mass that a context with each of them would show. */
export type MassBehind = (prefixes: readonly KeptContext[]) => readonly number[];

/**
 * Returns a function that estimates the probability mass of a context with a kept prefix, from the blocks of the selection
 * without one: it takes the blocks whose density is still at least the lowest of that selection. The estimate is 0 when
 * the whole chunks do not fit after the prefix.
 *
 * Requires current probabilities. Each estimate reads the selected blocks only, while a selection reads all candidates.
 */
export function massBehind(
  index: ReuseIndex,
  fresh: ContextSelection,
  options: Omit<SelectContextOptions, "kept">,
): MassBehind {
  const { chunks, atoms } = index;
  const lowest = minDensity(new Showing(atoms.probability, index.costs), fresh, chunks);
  return function massesBehind(prefixes) {
    const prefix = new Showing(atoms.probability, index.costs);
    let covered = 0;
    return prefixes.map((kept) => {
      for (; covered < kept.texts.length; covered++) {
        prefix.cover(index.atomsIn(kept.texts[covered] ?? ""));
      }
      for (const at of kept.whole) prefix.coverChunk(chunks[at]);
      const showing = new Showing(prefix, index.costs);
      const whole = wholeChunks(index, { ...options, kept });
      let room = options.budget - kept.tokens;
      for (const at of whole.keys()) {
        const tokens = chunks[at]?.tokens ?? 0;
        const sent = options.reserved?.get(at)?.tokens ?? tokens;
        room -= sent;
        if (sent >= tokens) showing.coverChunk(chunks[at]);
      }
      if (room < 0) return 0;
      for (const block of fresh.order) {
        if (whole.has(block.chunk.index) || kept.whole.has(block.chunk.index)) continue;
        const tokens = showing.cost(block);
        if (tokens > room + rounding || showing.promise(block) < lowest * tokens) continue;
        room -= tokens;
        showing.take(block);
      }
      return showing.mass;
    });
  };
}

/** Returns the lowest density among the selected blocks. */
function minDensity(showing: Showing, { whole, order }: ContextSelection, chunks: readonly IndexedChunk[]) {
  let lowest = Infinity;
  for (const at of whole.keys()) showing.coverChunk(chunks[at]);
  for (const block of order) {
    const density = showing.promise(block) / showing.cost(block);
    // A block of the query may have no density: it is not taken after a prefix, so it pays no header here either.
    if (density <= 0) continue;
    lowest = Math.min(lowest, density);
    showing.take(block);
  }
  return lowest * (1 - rounding);
}

/** The strings that a context shows while it is assembled; each string counts once. */
class Showing {
  readonly #open: Float64Array;
  readonly #opened = new Set<IndexedChunk>();
  mass = 0;

  /** Starts empty, or as a copy of another. */
  constructor(
    from: Float64Array | Showing,
    readonly costs: ExcerptCosts,
  ) {
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
    return tokens + (this.#opened.has(chunk) ? this.costs.gap : this.costs.header);
  }

  take(block: Block): void {
    this.#opened.add(block.chunk);
    this.cover(block.atoms);
  }
}
