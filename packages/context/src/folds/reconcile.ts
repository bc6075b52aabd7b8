import type { BaseMessage } from "@langchain/core/messages";
import { carriedIds, foldOf, foldsIn, isWholeFold, replacesOthers, standIn, type Fold } from "./fold.js";
import { placeBlocks } from "./blocks/place-blocks.js";
import { heldFirst } from "./held.js";
import { withoutResent } from "./resent/resent.js";
import { messagesOfRecord } from "../messages/stored-message.js";
import { undefinedIfMissing, type ReadArchive } from "./unfold.js";

/** Maximum number of records to read for the messages that a summary covers. */
const maxRecords = 200;

/**
 * Removes the messages that a summary, a block or a compaction of the provider in the same list covers, before it and, as
 * {@link withoutResent} says, behind it, and moves the stand-in to their place. Returns the same list when it contains no such
 * messages. Marks what the host has removed of the messages that stay beside a stand-in.
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
  const readOnce = remembering(read);
  const own = await withoutResent(messages, readOnce);
  const native = lastOf(own, isNative);
  const rest = await withoutCovered(own, native, readOnce);
  const summary = lastOf(rest, (fold) => isWholeFold(fold) && !isNative(fold));
  return withTombstones(await placeBlocks(await withoutCovered(rest, summary, readOnce), readOnce), readOnce);
}

/** Reads each file once: summaries that contain each other share their records. */
function remembering(read: ReadArchive): ReadArchive {
  const texts = new Map<string, Promise<string>>();
  return (path) => {
    const text = texts.get(path) ?? read(path);
    texts.set(path, text);
    return text;
  };
}

/**
 * Returns the messages in which each stand-in names the messages that stayed beside it and that the host has removed since, so
 * that unfolding does not restore them.
 */
export async function withTombstones(
  messages: readonly BaseMessage[],
  read: ReadArchive,
): Promise<readonly BaseMessage[]> {
  const folds = foldsIn(messages).map(({ value }) => value);
  const before = new Set<string | undefined>();
  let marked: BaseMessage[] | undefined;
  for (const [index, message] of messages.entries()) {
    const fold = foldOf(message);
    const carried = fold === undefined ? [] : carriedIds(fold);
    const missing = carried.filter((id) => !before.has(id) && fold?.removed?.includes(id) !== true);
    before.add(message.id);
    if (fold === undefined || missing.length === 0) continue;
    // A later summary may cover it, while an earlier one stays behind that.
    const others = folds.filter((other) => other !== fold);
    const covered = await Promise.all(others.map((other) => coveredBy(other, heldFirst(messages, read))));
    const gone = missing.filter((id) => !covered.some((ids) => ids.has(id)));
    if (gone.length === 0) continue;
    marked ??= [...messages];
    marked[index] = standIn(message, { ...fold, removed: [...(fold.removed ?? []), ...gone] }, {});
  }
  return marked ?? messages;
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
  const summary = messages[at];
  const fold = summary && foldOf(summary);
  if (summary === undefined || fold === undefined) return messages;
  const carried = new Set(carriedIds(fold));
  const before = messages.slice(0, at);
  // System messages are never folded; leading ones are not in `carried` either.
  const isKept = (message: BaseMessage) => message.getType() === "system" || carried.has(message.id ?? "");
  if (before.every(isKept)) return messages;
  const covered = await coveredBy(fold, heldFirst(messages, read));
  const present = new Set(messages.map(({ id = "" }) => id));
  const isFolded = (message: BaseMessage) =>
    message !== summary &&
    !isKept(message) &&
    (covered.has(message.id ?? "") || isOlder(message, covered, present));
  if (!before.some(isFolded)) return messages;
  const last = Math.max(placeAmong(before, fold, covered), await lastInPlace(before, carried, read));
  const later = before.slice(last + 1);
  const isBeside = ({ id = "" }: BaseMessage) => carried.has(id);
  const placed = [
    ...before.slice(0, last + 1),
    ...later.filter(isBeside),
    summary,
    ...later.filter((message) => !isBeside(message)),
    ...messages.slice(at + 1),
  ];
  return besideInOrder(
    placed.filter((message) => !isFolded(message)),
    fold,
  );
}

/**
 * Returns the messages with those that stay beside a stand-in in the order of its fold. What was opened again to stay is new to a
 * graph, which has appended it.
 */
function besideInOrder(messages: readonly BaseMessage[], fold: Fold): readonly BaseMessage[] {
  const places = new Map(carriedIds(fold).map((id, place) => [id, place]));
  const placeOf = ({ id = "" }: BaseMessage) => places.get(id);
  const beside = messages
    .filter((message) => placeOf(message) !== undefined)
    .toSorted((one, other) => (placeOf(one) ?? 0) - (placeOf(other) ?? 0));
  let next = 0;
  return messages.map((message) => (placeOf(message) === undefined ? message : (beside[next++] ?? message)));
}

/**
 * Returns the index of the newest message that a fold replaces itself, or else through another: what is folded inside it may have
 * been sent again behind messages that stay.
 */
function placeAmong(before: readonly BaseMessage[], fold: Fold, covered: ReadonlySet<string>): number {
  const beside = new Set(carriedIds(fold));
  const own = new Set(fold.covers.filter((id) => !beside.has(id)));
  const at = before.findLastIndex(({ id = "" }) => own.has(id));
  return at >= 0 ? at : before.findLastIndex(({ id = "" }) => covered.has(id) && !beside.has(id));
}

/**
 * Returns the index of the newest message that stays beside a fold and that the graph has where it was created, or -1: what stands
 * before it and is not folded was inserted there. A graph appends what is opened again, behind the stand-in that covered it.
 */
async function lastInPlace(
  before: readonly BaseMessage[],
  carried: ReadonlySet<string>,
  read: ReadArchive,
): Promise<number> {
  const appended = new Set<string>();
  let last = -1;
  for (const [index, message] of before.entries()) {
    const fold = foldOf(message);
    if (carried.has(message.id ?? "") && !appended.has(message.id ?? "")) last = index;
    else if (fold !== undefined && isWholeFold(fold))
      for (const id of await coveredBy(fold, heldFirst(before, read))) appended.add(id);
  }
  return last;
}

/**
 * Returns true for a stand-in of covered messages: one that held its originals is replaced by one that does not. What stayed beside it
 * and is gone was removed by the host.
 */
function isOlder(message: BaseMessage, covered: ReadonlySet<string>, present: ReadonlySet<string>): boolean {
  const fold = foldOf(message);
  if (fold === undefined || !replacesOthers(fold)) return false;
  const gone = new Set(carriedIds(fold).filter((id) => !present.has(id)));
  return fold.covers.every((id) => covered.has(id) || gone.has(id));
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
