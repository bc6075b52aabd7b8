import type { BaseMessage } from "@langchain/core/messages";
import { ContextError, defaults, foldOf, type FoldKind } from "@palimpsest/context";
import { isAi } from "@palimpsest/context/internal";
import { reasons } from "./sent-prefix.js";

/**
 * Returns the steps between two rewrites: `every`, or by default each step, and several where the model reasons. Reads
 * the newest messages. Pure.
 */
export function intervalOf(every: number | undefined, messages: readonly BaseMessage[]): number {
  return every ?? (reasons(messages) ? defaults.reasoningEvery : 1);
}

/** Returns the replies of the model since the newest fold of these kinds was made, or since the beginning. Pure. */
export function stepsSince(kinds: ReadonlySet<FoldKind>, messages: readonly BaseMessage[]): number {
  const folds = messages.flatMap((message) => foldOf(message) ?? []);
  const newest = new Set(folds.flatMap((fold) => (kinds.has(fold.kind) ? (fold.newest ?? []) : [])));
  const at = messages.findLastIndex(({ id }) => id !== undefined && newest.has(id));
  return messages.slice(at + 1).filter((message) => isAi(message)).length;
}

/** @throws ContextError `bad-option` for an interval that is no whole number above 0. */
export function requireInterval(every: number | undefined): void {
  if (every === undefined || (Number.isInteger(every) && every > 0)) return;
  throw new ContextError("bad-option", `every is ${every}: use a whole number of steps above 0`);
}
