import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, standIn, type Fold } from "../folds/fold.js";
import type { Rewrite } from "../folds/rewrite.js";
import { digest } from "../messages/message-id.js";
import { hasBoundReasoning, hasReasoning, withoutReasoning } from "../messages/reasoning.js";
import { toStoredMessage } from "../messages/stored-message.js";
import { isAi } from "../messages/tool-calls.js";
import type { TokenCounter } from "../tokens/token-counter.js";

/**
 * Takes the reasoning out of every message behind the first one that a rewrite changed: current models bind reasoning to
 * the exact prefix on which it was made, and refuse or drop it behind another.
 *
 * Pure; messages need ids (`withIds`). Reasoning before the change stays, and so does that of the changed message itself:
 * it precedes what was changed. One record holds the originals of all messages that lose reasoning, so a compaction costs
 * one file. A message that already is a stand-in needs none: unfolding restores its original. Where several models took
 * part, the reasoning of all of them goes: a tool loop that keeps only some is refused.
 */
export function dropStaleReasoning(
  before: readonly BaseMessage[],
  rewrite: Rewrite,
  tokenCounter: TokenCounter,
): Rewrite {
  const { messages } = rewrite;
  const start = firstStale(before, messages);
  const stale = messages.filter((message, index) => index >= start && hasReasoning(message));
  if (start < 0 || !stale.some(hasBoundReasoning)) return rewrite;
  const originals = stale.filter((message) => foldOf(message) === undefined);
  const content = originals.map((message) => `${JSON.stringify(toStoredMessage(message))}\n`).join("");
  const record = `/context/history/reasoning-${digest(content)}.jsonl`;
  const folds: Fold[] = [];
  const newest = before.at(-1)?.id;
  const result = messages.map((message, index) => {
    if (index < start || !hasReasoning(message)) return message;
    const shorter = withoutReasoning(message);
    if (foldOf(message) !== undefined) return shorter;
    const fold: Fold = {
      id: `reasoning-${digest(`${message.id ?? ""} ${record}`)}`,
      kind: "reasoning",
      path: record,
      record,
      covers: message.id === undefined ? [] : [message.id],
      ...(newest === undefined ? {} : { newest }),
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
    folds: [...rewrite.folds, ...folds],
  };
}

/** Index from which on reasoning is stale, -1 where nothing has changed. */
function firstStale(before: readonly BaseMessage[], after: readonly BaseMessage[]): number {
  const first = after.findIndex((message, index) => !isSame(message, before[index]));
  const [was, is] = [before[first], after[first]];
  if (was === undefined || is === undefined) return first;
  const keepsOwn = was.id === is.id && isAi(is) && hasReasoning(was);
  return keepsOwn ? first + 1 : first;
}

/** Lists that share their messages need no comparison of what is in them. */
function isSame(one: BaseMessage, other: BaseMessage | undefined): boolean {
  if (one === other) return true;
  if (other === undefined || one.id !== other.id) return false;
  return JSON.stringify(toStoredMessage(one)) === JSON.stringify(toStoredMessage(other));
}
