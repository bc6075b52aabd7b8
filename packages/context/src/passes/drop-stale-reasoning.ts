import type { BaseMessage } from "@langchain/core/messages";
import { historyRecord, type LaneOptions } from "../folds/archive-paths.js";
import { foldOf, hasLostReasoning, standIn, type Fold } from "../folds/fold.js";
import type { Rewrite } from "../folds/rewrite.js";
import { digest } from "../messages/message-id.js";
import { isSignedCompaction, nativeStart } from "../messages/provider/native-compaction.js";
import { hasBoundReasoning, hasReasoning, withoutReasoning } from "../messages/provider/reasoning.js";
import { recordText, toStoredMessage } from "../messages/stored-message.js";
import { isAi } from "../messages/tool-calls.js";
import type { TokenCounter } from "../tokens/token-counter.js";

export interface StaleReasoningOptions extends LaneOptions {
  readonly tokenCounter: TokenCounter;
}

/**
 * Removes the reasoning of every message after the first one that a rewrite changed. Current models bind reasoning to
 * the exact prefix that it was generated from, and refuse or drop it after another prefix.
 *
 * Pure; messages need ids (`withIds`). Reasoning before the change stays, and so does the reasoning of the changed
 * message itself, because it precedes the changed content. One record holds the originals of all affected messages, so
 * a compaction writes one file. A stand-in needs no record: unfolding it restores its original. If several models took part,
 * removes the reasoning of all of them, because providers refuse a tool loop that keeps only some. A provider's compaction
 * starts a new prefix: changes before it make nothing stale.
 */
export function dropStaleReasoning(
  before: readonly BaseMessage[],
  rewrite: Rewrite,
  { tokenCounter, lane }: StaleReasoningOptions,
): Rewrite {
  const { messages } = rewrite;
  // Hot path: to find the first change may take the JSON of large messages.
  if (!messages.some(hasReasoning)) return rewrite;
  const changed = firstStale(before, messages);
  const from = changed < 0 ? -1 : staleStart(messages, changed);
  if (from < 0) return rewrite;
  return dropReasoning(rewrite, {
    isStale: (_, index) => index >= from,
    newest: before.at(-1)?.id,
    tokenCounter,
    lane,
  });
}

/**
 * Returns the index from which reasoning must leave when every prefix from `from` on has changed, or -1.
 *
 * If no reasoning is bound to its prefix, all of it stays, except in a tool loop that has lost the reasoning of an earlier
 * reply, which its provider refuses.
 */
export function staleStart(messages: readonly BaseMessage[], from: number): number {
  if (messages.slice(from).some(hasBoundReasoning)) return from;
  const opening = Math.max(
    messages.findLastIndex((message) => message.getType() === "human"),
    nativeStart(messages),
    0,
  );
  const loop = messages.slice(opening);
  const thinking = loop.findIndex(hasReasoning);
  const hasLost = loop.slice(0, Math.max(thinking, 0)).some(hasLostReasoning);
  return hasLost && opening + thinking >= from ? opening + thinking : -1;
}

export interface DropReasoningOptions extends LaneOptions {
  /** Returns true for a message whose reasoning is removed. */
  readonly isStale: (message: BaseMessage, index: number) => boolean;
  /** Id of the newest message in the context. */
  readonly newest: string | undefined;
  readonly tokenCounter: TokenCounter;
  /** Why the reasoning is removed, for the folds. */
  readonly reason?: string;
}

/**
 * Removes the reasoning of every stale message, with one record of the originals. A stand-in whose own record restores the
 * message is marked with `lostReasoning` and needs a new seal. Pure; messages need ids, and their folds must be genuine.
 */
export function dropReasoning(
  rewrite: Rewrite,
  { isStale, newest, tokenCounter, reason, lane }: DropReasoningOptions,
): Rewrite {
  const { messages } = rewrite;
  const stale = messages.filter((message, index) => isStale(message, index) && hasReasoning(message));
  const originals = stale.filter((message) => !hasRecord(message));
  const content = recordText(originals);
  const record = historyRecord("reasoning", content, lane);
  const folds: Fold[] = [];
  const marked = new Map<Fold, Fold>();
  const result = messages.map((message, index) => {
    if (!isStale(message, index) || !hasReasoning(message)) return message;
    const shorter = withoutReasoning(message);
    const earlier = foldOf(message);
    if (earlier?.record !== undefined) {
      const { seal: _, ...unsealed } = earlier;
      const own: Fold = { ...unsealed, lostReasoning: true };
      marked.set(earlier, own);
      return standIn(shorter, own, {});
    }
    const fold: Fold = {
      id: `reasoning-${digest(`${message.id ?? ""} ${record}`)}`,
      kind: "reasoning",
      path: record,
      record,
      covers: message.id === undefined ? [] : [message.id],
      ...(newest === undefined ? {} : { newest }),
      ...(reason === undefined ? {} : { reason }),
      tokensBefore: tokenCounter([message]),
      tokensAfter: tokenCounter([shorter]),
    };
    folds.push(fold);
    return standIn(shorter, fold, {});
  });
  const writes = originals.length === 0 ? [] : [{ path: record, content }];
  return {
    ...rewrite,
    messages: result,
    writes: [...rewrite.writes, ...writes],
    folds: [...rewrite.folds.map((fold) => marked.get(fold) ?? fold), ...folds],
  };
}

/** True for a stand-in whose record restores the whole message; other folds restore only the content. */
function hasRecord(message: BaseMessage): boolean {
  return foldOf(message)?.record !== undefined;
}

/** Returns the index of the first message with stale reasoning, or -1 when nothing has changed. */
function firstStale(before: readonly BaseMessage[], after: readonly BaseMessage[]): number {
  const start = nativeStart(after) + 1;
  const shift = epochStart(before, after, start) - start;
  const first = after.findIndex(
    (message, index) => index >= start && !isSame(message, before[index + shift]),
  );
  const [original, changed] = [before[first + shift], after[first]];
  if (original === undefined || changed === undefined) return first;
  const keepsReasoning = original.id === changed.id && isAi(changed) && hasReasoning(original);
  return keepsReasoning ? first + 1 : first;
}

/**
 * Returns the index in `before` of the message that `after` has at `start`, right after the newest compaction of the
 * provider. After a new signed one the same messages keep their reasoning; after any other, none does.
 */
function epochStart(before: readonly BaseMessage[], after: readonly BaseMessage[], start: number): number {
  const compaction = after[start - 1];
  if (compaction === undefined) return 0;
  const known = before.findIndex(({ id }) => id === compaction.id);
  if (known >= 0) return known + 1;
  const kept = before.findIndex(({ id }) => id === after[start]?.id);
  return isSignedCompaction(compaction) && kept >= 0 ? kept : before.length;
}

/** Compares two messages. Shared objects need no comparison of their contents. */
function isSame(one: BaseMessage, other: BaseMessage | undefined): boolean {
  if (one === other) return true;
  if (other === undefined || one.id !== other.id) return false;
  return JSON.stringify(toStoredMessage(one)) === JSON.stringify(toStoredMessage(other));
}
