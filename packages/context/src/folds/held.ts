import type { BaseMessage } from "@langchain/core/messages";
import { messageText } from "../messages/text.js";
import { recordOfStandIn } from "./archive-paths.js";
import { foldOf, foldsIn, type Fold } from "./fold.js";

/**
 * Returns the text of an archive file. An error with the code `not-found` leaves the fold closed, with a note; `unfold`
 * propagates any other.
 */
export type ReadArchive = (path: string) => Promise<string>;

/** Returns the path of the file that restores what a fold replaces. */
export function originalsPath({ record, path }: Fold): string {
  return record ?? path;
}

/** Returns true for a message that was a stand-in, until the host has made another message of it, without its fold. Pure. */
export function isLostStandIn(message: BaseMessage): boolean {
  return lostRecord(message) !== undefined;
}

/** Returns the path of the record of such a message; undefined for any other. Pure. */
export function lostRecord(message: BaseMessage): string | undefined {
  const { id = "" } = message;
  if (message.getType() !== "human" || foldOf(message) !== undefined) return undefined;
  return recordOfStandIn(id, messageText(message));
}

/** Returns the content of every original that is held in these messages, by path. Pure. */
export function heldOriginals(messages: readonly BaseMessage[]): ReadonlyMap<string, string> {
  const held = new Map<string, string>();
  for (const { value: fold } of foldsIn(messages)) {
    for (const { path, content } of fold.held ?? []) held.set(path, content);
  }
  return held;
}

/** Returns a reader that finds held originals in the messages and all others in the archive. Pure. */
export function heldFirst(messages: readonly BaseMessage[], read: ReadArchive): ReadArchive {
  const held = heldOriginals(messages);
  return held.size === 0 ? read : async (path) => held.get(path) ?? read(path);
}
