import type { BaseMessage } from "@langchain/core/messages";
import { ContextError, defaults, foldOf, type FoldKind, type TokenCounter } from "@palimpsest/context";
import { isAi } from "@palimpsest/context/internal";
import { shownValue } from "../options/fields.js";
import { reasons } from "./sent-prefix.js";

/** Interval between two rewrites: a number of steps, or new messages of a share of the context's limit. */
export type RewriteInterval = number | { readonly share: number };

/** Returns `every`, or by default 1, and several steps if the model reasons. Reads the newest messages. Pure. */
export function intervalOf(
  every: RewriteInterval | undefined,
  messages: readonly BaseMessage[],
): RewriteInterval {
  return every ?? (reasons(messages) ? defaults.reasoningEvery : 1);
}

export interface IntervalOptions {
  readonly every: RewriteInterval | undefined;
  /** Kinds of folds that a rewrite makes. */
  readonly kinds: ReadonlySet<FoldKind>;
  /** Tokens that `share` is a fraction of. */
  readonly limit: number;
  readonly tokenCounter: TokenCounter;
}

/** Returns whether the interval has passed since the newest fold of these kinds, or since the beginning. Pure. */
export function isIntervalOver(
  messages: readonly BaseMessage[],
  { every, kinds, limit, tokenCounter }: IntervalOptions,
): boolean {
  const interval = intervalOf(every, messages);
  if (interval === 1) return true;
  const added = messagesSince(kinds, messages);
  return typeof interval === "number"
    ? added.filter((message) => isAi(message)).length >= interval
    : tokenCounter(added) >= interval.share * limit;
}

function messagesSince(kinds: ReadonlySet<FoldKind>, messages: readonly BaseMessage[]) {
  const folds = messages.flatMap((message) => foldOf(message) ?? []);
  const newest = new Set(folds.flatMap((fold) => (kinds.has(fold.kind) ? (fold.newest ?? []) : [])));
  return messages.slice(messages.findLastIndex(({ id }) => id !== undefined && newest.has(id)) + 1);
}

/** @throws ContextError `bad-option` for an interval that is neither a whole number above 0 nor a share of at most 1. */
export function requireInterval(every: RewriteInterval | undefined): void {
  if (every === undefined || (Number.isInteger(every) && Number(every) > 0)) return;
  if (typeof every === "object" && every.share > 0 && every.share <= 1) return;
  throw new ContextError(
    "bad-option",
    `every is ${shownValue(every)}: use a whole number of steps above 0, or { share } above 0 and at most 1`,
  );
}
