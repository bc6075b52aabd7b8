import type { BaseMessage } from "@langchain/core/messages";
import { newestNote, withNote } from "../messages/note.js";
import { soundMessages } from "../messages/sound/sound-messages.js";
import { foldOf, foldsIn, standIn, type Fold, type HeldOriginal } from "./fold.js";
import { heldFirst, heldOriginals, originalsPath, type ReadArchive } from "./held.js";
import { reconcile } from "./reconcile.js";
import { withoutRepeated } from "./resent/resent.js";
import type { Rewrite } from "./rewrite.js";
import { messagesOfRecord } from "../messages/stored-message.js";
import { openFolds } from "./unfold.js";

/**
 * Returns the messages of a rewrite whose archive writes have failed, with its files in the metadata of its stand-ins, which
 * are stored in state but not sent. Pure.
 *
 * Each stand-in holds all that it opens to, so that a host may change any other: files of several stand-ins are held by each, and
 * the last one holds what belongs to none. {@link openHeld} is the inverse.
 */
export function holdOriginals({ messages, writes, folds }: Rewrite): readonly BaseMessage[] {
  const files = new Map(writes.map((write) => [write.path, write]));
  const left = new Map(files);
  const isNew = new Set<Fold | undefined>(folds);
  const own = messages.map((message): readonly HeldOriginal[] => {
    const fold = foldOf(message);
    if (fold === undefined || !isNew.has(fold)) return [];
    const held = filesOf(fold, files);
    for (const { path } of held) left.delete(path);
    return held;
  });
  const last = messages.findLastIndex((message) => isNew.has(foldOf(message)));
  return messages.map((message, index) => {
    const held = [...(own[index] ?? []), ...(index === last ? left.values() : [])];
    const fold = foldOf(message);
    return held.length === 0 || fold === undefined ? message : standIn(message, { ...fold, held }, {});
  });
}

/** Returns the files of a fold and of the folds inside it. */
function filesOf(outer: Fold, files: ReadonlyMap<string, HeldOriginal>): readonly HeldOriginal[] {
  const found = new Map<string, HeldOriginal>();
  const folds = [outer];
  for (const fold of folds) {
    for (const path of [fold.path, originalsPath(fold)]) {
      const file = files.get(path);
      if (file === undefined || found.has(path)) continue;
      found.set(path, file);
      if (path === fold.record)
        folds.push(...foldsIn(messagesOfRecord(file.content, path)).map(({ value }) => value));
    }
  }
  return [...found.values()];
}

async function nothingArchived(path: string): Promise<never> {
  throw Object.assign(new Error(`${path} is not in the archive`), { code: "not-found" });
}

/**
 * Returns the messages with every held original back in its place, without the copies of them that a client has sent again, and
 * without what the host has removed; the same list when nothing is held. `readArchive` reads older
 * folds. @default nothing is archived
 */
export async function openHeld(
  all: readonly BaseMessage[],
  readArchive: ReadArchive = nothingArchived,
): Promise<readonly BaseMessage[]> {
  const held = heldOriginals(all);
  if (held.size === 0) return all;
  // Messages that a stand-in covers and that a graph still has before it would come back twice.
  const messages = await reconcile(all, readArchive);
  const read = heldFirst(all, readArchive);
  const opened = await openFolds(messages, read, (fold) => held.has(originalsPath(fold)));
  return withNote(await withoutRepeated(soundMessages(opened), read), newestNote(messages));
}
