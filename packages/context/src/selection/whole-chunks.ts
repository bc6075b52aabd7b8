import { defaults } from "../options.js";
import type { IndexedChunk } from "./indexed-chunk.js";
import type { ReuseIndex } from "./reuse-index.js";

/** Why a chunk stays whole. */
export type WholeReason = "unseen" | "newest" | "first-user" | "newest-user" | "user" | "pinned" | "recent";

/** A chunk that is always sent. */
export interface ReservedChunk {
  /** Tokens of the form that is sent. */
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
 * Returns the chunks that stay whole, with the reason: the reserved chunks, and others within `wholeShare` of the budget.
 *
 * Takes the others in this order: the newest chunk, the first and the newest user message, the rest of the newest
 * `wholeSteps` chunks, pins, other user messages from newest to oldest, and recent chunks while they fit. A chat, which has
 * no calls, has no recent chunks, and its newest ones stay within `recentShare`. A joined chunk is taken together with the
 * one before it or not at all.
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
  const take = (chunk: IndexedChunk | undefined, reason: WholeReason, maxTokens: number): number => {
    const all = chunk === undefined ? [] : groupOf(index, chunk.index);
    const group = all.filter(({ index: at }) => !whole.has(at) && options.kept?.whole.has(at) !== true);
    const tokens = group.reduce((sum, one) => sum + one.tokens, 0);
    // Excerpts follow the kept prefix and cover the steps before its end, so those steps cannot be whole.
    if (group.some(({ index: at }) => at <= (options.kept?.end ?? -1))) return 0;
    const refused = options.canBeWhole !== undefined && !group.every(options.canBeWhole);
    if (refused || group.length === 0 || used + tokens > maxTokens) return 0;
    for (const one of group) whole.set(one.index, reason);
    used += tokens;
    return tokens;
  };
  const maxWhole = (options.wholeShare ?? defaults.wholeShare) * budget;
  take(chunks.at(-1), "newest", maxWhole);
  take(users[0], "first-user", maxWhole);
  take(newestUser, "newest-user", maxWhole);
  const maxNewest = index.hasCalls ? maxWhole : Math.max(used, recentShare * budget);
  for (let back = 2; back <= wholeSteps; back++) take(chunks.at(-back), "newest", maxNewest);
  for (const pin of pins) take(pin, "pinned", maxWhole);
  let userTokens = 0;
  for (const user of users.toReversed()) {
    const room = Math.min(maxWhole, used + userShare * budget - userTokens);
    const tokens = take(user, "user", room - costs.standIn);
    if (tokens === 0) continue;
    userTokens += tokens + costs.standIn;
    // A whole message in the middle splits a range, which then needs two stand-ins.
    used += costs.standIn;
  }
  // In a chat, recency says little about what a question needs.
  if (!index.hasCalls) return whole;
  const recent = Math.max(recentShare * budget, used);
  let misses = 0;
  for (const chunk of chunks.slice(-maxRecent).toReversed()) {
    if (misses === maxMisses) break;
    if (take(chunk, "recent", recent) === 0) misses++;
  }
  return whole;
}

/** Maximum recent chunks that do not fit before the search stops, which bounds the cost in a long thread. */
const maxMisses = 64;
/** Maximum recent chunks to consider. */
const maxRecent = 512;

/** Returns the chunks that are joined with this one, including it. Pure. */
export function groupOf({ chunks }: ReuseIndex, at: number): readonly IndexedChunk[] {
  let start = at;
  while (chunks[start]?.joined === true && start > 0) start--;
  let end = at + 1;
  while (chunks[end]?.joined === true) end++;
  return chunks.slice(start, end);
}
