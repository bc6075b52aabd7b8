import { defaults } from "../options.js";
import type { IndexedChunk } from "./indexed-chunk.js";
import type { ReuseIndex } from "./reuse-index.js";

/** Why a chunk stays whole. */
export type WholeReason = "unseen" | "newest" | "first-user" | "newest-user" | "user" | "pinned" | "recent";

/** A chunk that is sent in any case. */
export interface ReservedChunk {
  /** Tokens of the form in which it is sent. */
  readonly tokens: number;
  readonly reason: WholeReason;
}

export interface WholeChunksOptions {
  readonly budget: number;
  readonly wholeSteps?: number;
  readonly recentShare?: number;
  readonly userShare?: number;
  readonly wholeShare?: number;
  readonly canBeWhole?: (chunk: IndexedChunk) => boolean;
  readonly reserved?: ReadonlyMap<number, ReservedChunk>;
  readonly kept?: { readonly end: number; readonly whole: ReadonlySet<number> };
}

/**
 * Returns the chunks that stay whole, each with the reason: those that are reserved, and others within `wholeShare` of the
 * budget.
 *
 * The others in this order: the newest chunk, the first and the newest message of the user, pins, other messages of the
 * user from the newest on, and then chunks from the newest on while they fit. A chunk that a provider wants together with
 * the one before it comes with that one or not at all.
 */
export function wholeChunks(
  index: ReuseIndex,
  options: WholeChunksOptions,
): ReadonlyMap<number, WholeReason> {
  const { budget, wholeSteps = 2, recentShare = 0.25, userShare = 0.1 } = options;
  const { chunks, users, pins, newestUser, costs } = index;
  const reserved = [...(options.reserved ?? [])].filter(([at]) => options.kept?.whole.has(at) !== true);
  const whole = new Map(reserved.map(([at, { reason }]) => [at, reason]));
  let used = reserved.reduce((sum, [, { tokens }]) => sum + tokens, 0);
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
  const most = (options.wholeShare ?? defaults.wholeShare) * budget;
  take(chunks.at(-1), "newest", most);
  take(users[0], "first-user", most);
  take(newestUser, "newest-user", most);
  for (let back = 2; back <= wholeSteps; back++) take(chunks.at(-back), "newest", most);
  for (const pin of pins) take(pin, "pinned", most);
  let told = 0;
  for (const user of users.toReversed()) {
    const room = Math.min(most, used + userShare * budget - told);
    const tokens = take(user, "user", room - costs.standIn);
    if (tokens === 0) continue;
    told += tokens + costs.standIn;
    // A message that stands alone parts a stand-in in two.
    used += costs.standIn;
  }
  const recent = Math.max(recentShare * budget, used);
  let misses = 0;
  for (const chunk of chunks.slice(-mostRecent).toReversed()) {
    if (misses === mostMisses) break;
    if (take(chunk, "recent", recent) === 0) misses++;
  }
  return whole;
}

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
