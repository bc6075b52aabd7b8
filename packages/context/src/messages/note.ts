import type { BaseMessage } from "@langchain/core/messages";
import { collectOnce } from "../collect-once.js";
import { copyMessage } from "./copy-message.js";

const key = "palimpsest_note";

const notes = collectOnce((message) => message.additional_kwargs?.[key]);

/** Returns the note of the newest message that has one, or undefined. Reads only metadata. */
export function newestNote(messages: readonly BaseMessage[]): unknown {
  return notes(messages).at(-1)?.value;
}

/**
 * Returns the messages with a note on the newest message only, or without any note when `note` is undefined. Pure.
 *
 * For a host whose state has no channel for this data. The note is in `additional_kwargs`, which no provider
 * receives; `unfold` removes notes.
 */
export function withNote(messages: readonly BaseMessage[], note?: unknown): readonly BaseMessage[] {
  const clean = messages.some(hasNote) ? messages.map(withoutNote) : messages;
  const newest = clean.at(-1);
  if (note === undefined || newest === undefined) return clean;
  const noted = copyMessage(newest, { additional_kwargs: { ...newest.additional_kwargs, [key]: note } });
  return [...clean.slice(0, -1), noted];
}

/** Returns the message without its note, or the same object when it has none. */
export function withoutNote(message: BaseMessage): BaseMessage {
  if (!hasNote(message)) return message;
  const { [key]: _, ...rest } = message.additional_kwargs;
  return copyMessage(message, { additional_kwargs: rest });
}

function hasNote(message: BaseMessage): boolean {
  return message.additional_kwargs?.[key] !== undefined;
}
