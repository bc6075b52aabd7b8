import type { IndexedChunk } from "./indexed-chunk.js";
import type { ReuseIndex } from "./reuse-index.js";

/** Why a chunk stays whole. */
export type WholeReason = "unseen" | "newest" | "first-user" | "newest-user" | "user" | "pinned" | "recent";

export interface WholeChunksOptions {
  readonly budget: number;
  readonly wholeSteps?: number;
  readonly recentShare?: number;
  readonly userShare?: number;
  readonly wholeShare?: number;
  readonly canBeWhole?: (chunk: IndexedChunk) => boolean;
  readonly unseen?: ReadonlyMap<number, number>;
  readonly kept?: { readonly end: number; readonly whole: ReadonlySet<number> };
}

/**
 * Returns the chunks that stay whole, each with the reason, within `wholeShare` of the budget.
 *
 * In this order: what the model has not been shown, whatever it takes; the newest, the first and the newest message of the user, pins, other messages of the user from the
 * newest on, and then chunks from the newest on while they fit. A chunk that a provider wants with the one before it
 * comes with that one or not at all.
 */
export function wholeChunks(
  index: ReuseIndex,
  options: WholeChunksOptions,
): ReadonlyMap<number, WholeReason> {
  const { budget, wholeSteps = 2, recentShare = 0.25, userShare = 0.1, wholeShare = 0.85 } = options;
  const { chunks, users, pins, newestUser } = index;
  const whole = new Map<number, WholeReason>();
  let used = 0;
  for (const [at, tokens] of options.unseen ?? []) {
    whole.set(at, "unseen");
    used += tokens;
  }
  const take = (chunk: IndexedChunk | undefined, reason: WholeReason, most: number): number => {
    const all = chunk === undefined ? [] : groupOf(index, chunk.index);
    const group = all.filter(({ index: at }) => !whole.has(at) && options.kept?.whole.has(at) !== true);
    const tokens = group.reduce((sum, one) => sum + one.tokens, 0);
    // What stands behind a kept beginning begins with excerpts, where lines of the steps before it have their place.
    if (group.some(({ index: at }) => at <= (options.kept?.end ?? -1))) return 0;
    const refused = options.canBeWhole !== undefined && !group.every(options.canBeWhole);
    if (refused || group.length === 0 || used + tokens > most) return 0;
    for (const one of group) whole.set(one.index, reason);
    used += tokens;
    return tokens;
  };
  const most = wholeShare * budget;
  take(chunks.at(-1), "newest", most);
  take(users[0], "first-user", most);
  take(newestUser, "newest-user", most);
  for (let back = 2; back <= wholeSteps; back++) take(chunks.at(-back), "newest", most);
  for (const pin of pins) take(pin, "pinned", most);
  let told = 0;
  for (const user of users.toReversed()) {
    const room = Math.min(most, used + userShare * budget - told);
    const tokens = take(user, "user", room - standInTokens);
    if (tokens === 0) continue;
    told += tokens + standInTokens;
    used += standInTokens;
  }
  const recent = Math.max(recentShare * budget, used);
  let misses = 0;
  for (const chunk of chunks.slice(-mostRecent).toReversed()) {
    if (misses === mostMisses) break;
    if (take(chunk, "recent", recent) === 0) misses++;
  }
  return whole;
}

/** Of the head of the stand-in that a message of the user parts from another: what stands alone costs that as well. */
const standInTokens = 17;
/** Recent chunks that may not fit before the rest is left to excerpts: a selection does not walk through a long thread. */
const mostMisses = 64;
/** Chunks that may be whole because they are recent. */
const mostRecent = 512;

/** Returns the chunks that must stand or fall with this one, itself included. Pure. */
export function groupOf({ chunks }: ReuseIndex, at: number): readonly IndexedChunk[] {
  let start = at;
  while (chunks[start]?.joined === true && start > 0) start--;
  let end = at + 1;
  while (chunks[end]?.joined === true) end++;
  return chunks.slice(start, end);
}
