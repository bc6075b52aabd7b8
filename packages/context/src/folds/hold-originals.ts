import type { BaseMessage } from "@langchain/core/messages";
import { newestNote, withNote } from "../messages/note.js";
import { soundMessages } from "../messages/sound/sound-messages.js";
import { foldOf, standIn, type Fold, type HeldOriginal } from "./fold.js";
import { heldFirst, heldOriginals, originalsPath } from "./held.js";
import { withoutRepeated } from "./resent.js";
import type { Rewrite } from "./rewrite.js";
import { unfold } from "./unfold.js";

/**
 * Returns the messages of a rewrite whose archive writes have failed, with its files in the metadata of its stand-ins, which
 * are stored in state but not sent. Pure.
 *
 * Each stand-in holds its own files, the last one also those of the folds inside other folds. {@link openHeld} is the inverse.
 */
export function holdOriginals({ messages, writes, folds }: Rewrite): readonly BaseMessage[] {
  const left = new Map(writes.map((write) => [write.path, write]));
  const isNew = new Set<Fold | undefined>(folds);
  const own = messages.map((message): readonly HeldOriginal[] => {
    const fold = foldOf(message);
    if (fold === undefined || !isNew.has(fold)) return [];
    const held = [...new Set([fold.path, originalsPath(fold)])].flatMap((path) => left.get(path) ?? []);
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

/**
 * Returns the messages with every held original back in its place, without the copies of them that a client has sent again; the
 * same list when nothing is held.
 */
export async function openHeld(messages: readonly BaseMessage[]): Promise<readonly BaseMessage[]> {
  const held = heldOriginals(messages);
  if (held.size === 0) return messages;
  const isHeld = (fold: Fold | undefined) => fold !== undefined && held.has(originalsPath(fold));
  const read = heldFirst(messages, async (path) => {
    throw new Error(`${path} is not held`);
  });
  let opened = messages;
  while (opened.some((message) => isHeld(foldOf(message)))) {
    opened = await unfold(opened, read, { folds: isHeld, levels: 1 });
  }
  return withNote(withoutRepeated(soundMessages(opened)), newestNote(messages));
}
