import type { BaseMessage } from "@langchain/core/messages";
import { digest } from "../messages/message-id.js";
import { saidBy } from "../messages/said-by.js";

/** Digests of messages: a step meets the same objects as the step before it. */
const digests = new WeakMap<BaseMessage, string>();

/**
 * Returns a digest of the id of a message and of what it says, without metadata, usage and reasoning.
 *
 * Like a token count, the digest of a message that the host changes in place is not updated.
 */
export function saidDigest(message: BaseMessage): string {
  const known = digests.get(message);
  if (known !== undefined) return known;
  const made = digest(`${message.id ?? ""}\n${saidBy(message)}`);
  digests.set(message, made);
  return made;
}

/** Returns what is remembered of a list, to compare a later one with: one short digest for each message. */
export function remember(messages: readonly BaseMessage[]): readonly string[] {
  return messages.map(saidDigest);
}

/**
 * Returns the messages that a list has gained at its end since it was remembered; undefined if a message before them was edited,
 * inserted or removed.
 */
export function gainedSince(
  remembered: readonly string[],
  messages: readonly BaseMessage[],
): readonly BaseMessage[] | undefined {
  const isUnchanged =
    remembered.length <= messages.length &&
    remembered.every((one, index) => one === saidDigest(messages[index] as BaseMessage));
  return isUnchanged ? messages.slice(remembered.length) : undefined;
}

/** Returns one digest for several messages, in order. */
export function spanDigest(messages: readonly BaseMessage[]): string {
  return digest(remember(messages).join(""));
}
