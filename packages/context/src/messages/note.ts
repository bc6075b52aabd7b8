import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "./copy-message.js";

const key = "palimpsest_note";

/** Returns what was noted on the newest message that has a note, or undefined. Reads metadata alone. */
export function newestNote(messages: readonly BaseMessage[]): unknown {
  return messages.findLast((message) => message.additional_kwargs?.[key] !== undefined)?.additional_kwargs[
    key
  ];
}

/**
 * Returns the messages with a note on the newest and on no other; without a `note`, with none at all. Pure.
 *
 * For a host whose state has no place for what is to be remembered. Kept in `additional_kwargs`, which no provider
 * receives; `unfold` takes notes off.
 */
export function withNote(messages: readonly BaseMessage[], note?: unknown): readonly BaseMessage[] {
  const clean = messages.some(hasNote) ? messages.map(withoutNote) : messages;
  const newest = clean.at(-1);
  if (note === undefined || newest === undefined) return clean;
  const noted = copyMessage(newest, { additional_kwargs: { ...newest.additional_kwargs, [key]: note } });
  return [...clean.slice(0, -1), noted];
}

/** Returns the message without a note: the same object where there is none. */
export function withoutNote(message: BaseMessage): BaseMessage {
  if (!hasNote(message)) return message;
  const { [key]: _, ...rest } = message.additional_kwargs;
  return copyMessage(message, { additional_kwargs: rest });
}

function hasNote(message: BaseMessage): boolean {
  return message.additional_kwargs?.[key] !== undefined;
}
