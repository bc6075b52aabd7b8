import type { BaseMessage } from "@langchain/core/messages";
import { carriedIds, foldOf, foldsIn, isWholeFold, type Fold } from "./fold.js";
import { heldFirst } from "./held.js";
import { withoutResent } from "./resent.js";
import { messagesOfRecord, undefinedIfMissing, type ReadArchive } from "./unfold.js";

/** Maximum number of records to read for the messages that a summary covers. */
const maxRecords = 200;

/**
 * Removes the messages that a summary or a compaction of the provider in the same list covers, before it and, as
 * {@link withoutResent} says, behind it, and moves the summary to their place. Returns the same list when it contains no such
 * messages.
 *
 * A graph that runs an agent as a node merges the agent's messages by id: messages that the agent folded stay in the
 * graph's list, and the stand-in is appended after them. All I/O goes through `read`; a consistent list needs none.
 * @throws ContextError `corrupt` when an archive file does not hold the record of its fold.
 */
export async function reconcile(
  messages: readonly BaseMessage[],
  read: ReadArchive,
): Promise<readonly BaseMessage[]> {
  // Hot path: a list without folds is consistent.
  if (foldsIn(messages).length === 0) return messages;
  const own = await withoutResent(messages, read);
  const native = lastOf(own, isNative);
  const rest = await withoutCovered(own, native, read);
  const summary = lastOf(rest, (fold) => isWholeFold(fold) && !isNative(fold));
  return withoutCovered(rest, summary, read);
}

/** Returns the index of the last stand-in with such a fold, or -1. */
function lastOf(messages: readonly BaseMessage[], isWanted: (fold: Fold) => boolean): number {
  return foldsIn(messages).findLast(({ value }) => isWanted(value))?.index ?? -1;
}

function isNative({ kind }: Fold): boolean {
  return kind === "native";
}

async function withoutCovered(
  messages: readonly BaseMessage[],
  at: number,
  read: ReadArchive,
): Promise<readonly BaseMessage[]> {
  const standIn = messages[at];
  const fold = standIn && foldOf(standIn);
  if (standIn === undefined || fold === undefined) return messages;
  const carried = new Set(carriedIds(fold));
  const before = messages.slice(0, at);
  // System messages are never folded; leading ones are not in `carried` either.
  const isKept = (message: BaseMessage) => message.getType() === "system" || carried.has(message.id ?? "");
  if (before.every(isKept)) return messages;
  const covered = await coveredBy(fold, heldFirst(messages, read));
  const isFolded = (message: BaseMessage) =>
    message !== standIn && covered.has(message.id ?? "") && !isKept(message);
  if (!before.some(isFolded)) return messages;
  const last = before.findLastIndex((message) => covered.has(message.id ?? ""));
  const rest = [...before.slice(last + 1), ...messages.slice(at + 1)];
  return [...before.slice(0, last + 1), standIn, ...rest].filter((message) => !isFolded(message));
}

/** Returns the ids of all messages that a fold covers, directly or through nested summaries. */
async function coveredBy(outer: Fold, read: ReadArchive): Promise<ReadonlySet<string>> {
  const covered = new Set<string>();
  const folds = [outer];
  for (let next = 0; next < Math.min(folds.length, maxRecords); next++) {
    const fold = folds[next];
    for (const id of fold?.covers ?? []) covered.add(id);
    if (fold?.record === undefined || (fold.generation ?? 1) < 2) continue;
    const text = await read(fold.record).catch(undefinedIfMissing);
    if (text === undefined) continue;
    const originals = messagesOfRecord(text, fold.record);
    folds.push(
      ...foldsIn(originals)
        .map(({ value }) => value)
        .filter(isWholeFold),
    );
  }
  return covered;
}
