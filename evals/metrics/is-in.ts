import type { BaseMessage } from "@langchain/core/messages";
import { textOf } from "../data/text-of.js";

const known = new WeakMap<BaseMessage, Map<string, boolean>>();

/** True when a message has a text in it, word for word. Remembered with the message object. */
export function isIn(message: BaseMessage, text: string): boolean {
  const seen = known.get(message) ?? new Map<string, boolean>();
  known.set(message, seen);
  const found = seen.get(text) ?? textOf(message).includes(text);
  seen.set(text, found);
  return found;
}
