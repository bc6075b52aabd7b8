import type { BaseMessage } from "@langchain/core/messages";
import { isAi, isToolResult } from "../../messages/tool-calls.js";
import { carriedIds, foldOf, foldsIn, isSummaryFold, isWholeFold, type Fold } from "../fold.js";
import { heldFirst } from "../held.js";
import { stepsOf } from "../resent/edited-steps.js";
import { copiesAmong } from "../resent/resent.js";
import type { ReadArchive } from "../unfold.js";

/** Puts the blocks in place of the messages before them that they cover, the last one first: it may cover the others. */
export async function placeBlocks(
  messages: readonly BaseMessage[],
  read: ReadArchive,
): Promise<readonly BaseMessage[]> {
  let list = messages;
  for (const { index, value: fold } of foldsIn(messages).toReversed()) {
    if (!isSummaryFold(fold) || isWholeFold(fold)) continue;
    const at = list === messages ? index : list.findIndex((message) => foldOf(message) === fold);
    if (at >= 0) list = await placeBlock(list, at, read);
  }
  return list;
}

/** Messages before a block that were found to say something else: within a run a step meets the same objects again. */
const others = new WeakMap<Fold, WeakSet<BaseMessage>>();

/**
 * Removes what a block covers from before it. Unlike a summary it covers only some of what was there, so each message is compared with
 * its original: what the host has edited stays, and a call leaves with its results or not at all.
 */
async function placeBlock(
  messages: readonly BaseMessage[],
  at: number,
  read: ReadArchive,
): Promise<readonly BaseMessage[]> {
  const [block] = messages.slice(at);
  const fold = block && foldOf(block);
  if (block === undefined || fold === undefined) return messages;
  const known = others.get(fold);
  // Hot path: each step of a thread comes by all of its blocks.
  if (known !== undefined && !messages.some((message, place) => place < at && !known.has(message)))
    return messages;
  const before = messages.slice(0, at);
  const beside = new Set(carriedIds(fold));
  const rest = before.filter((message) => !beside.has(message.id ?? "") && known?.has(message) !== true);
  const mayBeCovered = coverage(fold);
  if (!rest.some(mayBeCovered)) {
    others.set(fold, new WeakSet(before));
    return messages;
  }
  const copies = await copiesAmong(rest, [fold], { read: heldFirst(messages, read) });
  const folded = new Set(
    stepsOf(before)
      .filter((step) => step.every((one) => copies.has(one)))
      .flat(),
  );
  others.set(fold, new WeakSet(before.filter((message) => !folded.has(message))));
  if (folded.size === 0) return messages;
  const present = new Set(before.map(({ id }) => id));
  // A stand-in before this one may itself stand behind what it covers.
  const isInPlace = (message: BaseMessage) =>
    foldOf(message)?.covers.some((id) => id !== message.id && present.has(id)) !== true;
  const last = before.findLastIndex((message) => folded.has(message) && isInPlace(message));
  const later = before.slice(last + 1);
  const isBeside = ({ id = "" }: BaseMessage) => beside.has(id);
  const placed = [
    ...before.slice(0, last + 1),
    ...later.filter(isBeside),
    block,
    ...later.filter((message) => !isBeside(message)),
  ];
  return [...placed.filter((message) => !folded.has(message)), ...messages.slice(at + 1)];
}

/** Returns a function that is true where a look into the archive can find that a block covers a message. */
function coverage({ covers, generation = 1, lastInside }: Fold): (message: BaseMessage) => boolean {
  const ids = new Set(covers);
  // What is folded inside a block of blocks, the block itself does not name.
  const isNested = generation > 1 || lastInside !== undefined;
  return (message) =>
    ids.has(message.id ?? "") ||
    foldOf(message)?.covers.some((inner) => ids.has(inner)) === true ||
    (isNested && (isAi(message) || isToolResult(message)));
}
