import type { ReuseIndex } from "./reuse-index.js";
import { massBehind } from "./mass-behind.js";
import { scoreAtoms } from "./score-atoms.js";
import {
  selectScored,
  type ContextSelection,
  type KeptContext,
  type SelectContextOptions,
} from "./select-context.js";

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
  const tried = spread(beginnings.filter(({ tokens }) => tokens < budget));
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
