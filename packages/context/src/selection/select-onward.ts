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
  /** Beginnings of the context as it stands, any of which may stay; the shortest first, each begins as the one before. */
  readonly beginnings: readonly KeptContext[];
  /** Tokens at which the next selection is due; `budget` is what this one may take. */
  readonly limit: number;
  /** Share of what the context shows, for one step, that a prompt which begins as before is worth. @default 0.09 */
  readonly keepWorth?: number;
}

/** Beginnings that are looked at. */
const mostTried = 16;
const every = 3;
/** Newest chunks that say how fast the context grows. */
const measured = 16;

/**
 * Returns the selection behind the beginning whose stay is worth more than what it keeps out, and that beginning;
 * without one, a selection anew.
 *
 * A prompt cache holds a prompt's beginning. What a change of it costs is paid once; what it gains lasts until the next
 * selection, so the fewer steps that is away, the more of the beginning stays.
 */
export function selectOnward(
  index: ReuseIndex,
  options: SelectOnwardOptions,
): { readonly selection: ContextSelection; readonly kept: KeptContext | undefined } {
  const { beginnings, budget, limit, keepWorth = 0.09, ...rest } = options;
  scoreAtoms(index, options.weights);
  const anew = selectScored(index, options);
  const words = wordsOf(index, anew);
  const fits = ({ tokens, end, whole }: KeptContext) =>
    tokens < budget && words.every((at) => at > end || whole.has(at));
  const tried = spread(beginnings.filter(fits));
  if (tried.length === 0) return { selection: anew, kept: undefined };
  const price = (keepWorth * anew.mass) / stepsBetween(index, limit - budget) / limit;
  const massesBehind = massBehind(index, anew, { ...rest, budget });
  const worthsOf = (some: readonly KeptContext[]) => {
    const masses = massesBehind(some);
    return some.map((kept, at) => ({ kept, worth: (masses[at] ?? 0) + price * kept.tokens }));
  };
  const { kept, worth } = mostWorth(tried, worthsOf);
  if (kept === undefined || worth <= anew.mass) return { selection: anew, kept: undefined };
  const selection = selectScored(index, { ...options, kept });
  const isWorth = selection.tokens <= budget && selection.mass + price * kept.tokens > anew.mass;
  return isWorth ? { selection, kept } : { selection: anew, kept: undefined };
}

/** Messages of the user and pins that a new selection holds: a beginning that passes one without holding it cannot stay. */
function wordsOf({ users, pins }: ReuseIndex, { whole }: ContextSelection): readonly number[] {
  return [...users, ...pins].flatMap(({ index }) => (whole.has(index) ? [index] : []));
}

interface Worth {
  readonly kept: KeptContext | undefined;
  readonly worth: number;
}

/** The beginning that is worth most: of every third, then of those beside the best, for neighbours are worth much the same. */
function mostWorth(
  tried: readonly KeptContext[],
  worthsOf: (some: readonly KeptContext[]) => readonly Worth[],
): Worth {
  const isThird = (at: number) => (tried.length - 1 - at) % every === 0;
  const best = (some: readonly Worth[]) =>
    some.reduce((most, one) => (one.worth > most.worth ? one : most), { kept: undefined, worth: 0 });
  const thirds = best(worthsOf(tried.filter((_, at) => isThird(at))));
  const found = tried.findIndex((kept) => kept === thirds.kept);
  const beside = tried.filter((_, at) => !isThird(at) && Math.abs(at - found) < every);
  return best([thirds, ...worthsOf(beside)]);
}

/** Steps that so many tokens last, the one that is due included. */
function stepsBetween({ chunks }: ReuseIndex, tokens: number): number {
  const newest = chunks.slice(-measured);
  const mean = newest.reduce((sum, chunk) => sum + chunk.tokens, 0) / Math.max(1, newest.length);
  return 1 + tokens / Math.max(1, mean);
}

/** At most {@link mostTried} of them, evenly by their place in the list and in its order. */
function spread(beginnings: readonly KeptContext[]): readonly KeptContext[] {
  const stride = Math.max(1, beginnings.length / mostTried);
  const chosen = Array.from({ length: Math.min(mostTried, beginnings.length) }, (_, nth) => {
    return beginnings[beginnings.length - 1 - Math.floor(nth * stride)];
  });
  return chosen.toReversed().flatMap((one) => one ?? []);
}

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
  const least = leastDensity(new Showing(atoms.probability, index.costs), anew, chunks);
  return function massesBehind(beginnings) {
    const standing = new Showing(atoms.probability, index.costs);
    let told = 0;
    return beginnings.map((kept) => {
      for (; told < kept.texts.length; told++) standing.cover(index.atomsIn(kept.texts[told] ?? ""));
      for (const at of kept.whole) standing.coverChunk(chunks[at]);
      const showing = new Showing(standing, index.costs);
      const whole = wholeChunks(index, { ...options, kept });
      let room = options.budget - kept.tokens;
      for (const at of whole.keys()) {
        const tokens = chunks[at]?.tokens ?? 0;
        const sent = options.reserved?.get(at)?.tokens ?? tokens;
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
