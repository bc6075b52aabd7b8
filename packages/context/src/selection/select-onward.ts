import type { ReuseIndex } from "./reuse-index.js";
import { scoreAtoms } from "./score-atoms.js";
import {
  selectScored,
  type ContextSelection,
  type KeptContext,
  type SelectContextOptions,
} from "./select-context.js";

export interface SelectOnwardOptions extends Omit<SelectContextOptions, "kept"> {
  /** Beginnings of the context as it stands, any of which may stay. */
  readonly beginnings: readonly KeptContext[];
  /** Tokens at which the next selection is due; `budget` is what this one may take. */
  readonly limit: number;
  /** Share of what the context shows, for one step, that a prompt which begins as before is worth. @default 0.09 */
  readonly keepWorth?: number;
}

/** Beginnings that are tried: each takes a selection. */
const mostTried = 8;
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
  const { beginnings, budget, limit, keepWorth = 0.09 } = options;
  scoreAtoms(index, options.weights);
  const anew = selectScored(index, options);
  let best: { selection: ContextSelection; kept: KeptContext | undefined } = {
    selection: anew,
    kept: undefined,
  };
  let most = anew.mass;
  const price = (keepWorth * anew.mass) / stepsBetween(index, limit - budget) / limit;
  for (const kept of spread(beginnings)) {
    if (kept.tokens >= budget) continue;
    const selection = selectScored(index, { ...options, kept });
    const worth = selection.mass + price * kept.tokens;
    if (selection.tokens > budget || worth <= most) continue;
    most = worth;
    best = { selection, kept };
  }
  return best;
}

/** Steps that so many tokens last, the one that is due included. */
function stepsBetween({ chunks }: ReuseIndex, tokens: number): number {
  const newest = chunks.slice(-measured);
  const mean = newest.reduce((sum, chunk) => sum + chunk.tokens, 0) / Math.max(1, newest.length);
  return 1 + tokens / Math.max(1, mean);
}

/** At most {@link mostTried} of them, evenly by their place in the list. */
function spread(beginnings: readonly KeptContext[]): readonly KeptContext[] {
  const every = Math.max(1, beginnings.length / mostTried);
  const chosen = Array.from({ length: Math.min(mostTried, beginnings.length) }, (_, nth) => {
    return beginnings[beginnings.length - 1 - Math.floor(nth * every)];
  });
  return chosen.flatMap((one) => one ?? []);
}
