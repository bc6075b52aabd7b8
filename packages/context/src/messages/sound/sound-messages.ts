import {
  ChatMessage,
  coerceMessageLikeToMessage,
  type BaseMessage,
  type BaseMessageLike,
} from "@langchain/core/messages";
import { collectOnce } from "../../collect-once.js";
import { jsonText } from "./json-text.js";
import { standsFor } from "./original-message.js";
import { soundMessage } from "./sound-message.js";

const changedForms = collectOnce((message) => {
  const form = isMessage(message) ? soundMessage(message) : messageFrom(message);
  return form === message ? undefined : form;
});

/** The list of forms for each list that needs one, so that a step sees the same array. */
const lists = new WeakMap<readonly BaseMessage[], readonly BaseMessage[]>();

/**
 * Returns the messages, each in its {@link soundMessage} form; the same array where all have it.
 *
 * Every list of a state passes through here before it is read, and through `originalMessages` before it is written or sent. A
 * reducer of a host may keep plain objects, which become messages.
 */
export function soundMessages(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const changed = changedForms(messages);
  if (changed.length === 0) return messages;
  const sound = [...messages];
  for (const { index, value } of changed) sound[index] = value;
  const known = lists.get(messages);
  if (known?.length === sound.length && known.every((message, index) => message === sound[index]))
    return known;
  lists.set(messages, sound);
  return sound;
}

function isMessage(value: unknown): value is BaseMessage {
  return typeof (value as Partial<BaseMessage> | null | undefined)?.getType === "function";
}

/** Messages that stand for plain objects. */
const converted = new WeakMap<object, BaseMessage>();

function messageFrom(value: unknown): BaseMessage {
  const key = typeof value === "object" && value !== null ? value : undefined;
  const known = key && converted.get(key);
  if (known !== undefined) return known;
  const message = soundMessage(coerced(value));
  standsFor(message, value as BaseMessage);
  if (key !== undefined) converted.set(key, message);
  return message;
}

function coerced(value: unknown): BaseMessage {
  try {
    return coerceMessageLikeToMessage(value as BaseMessageLike);
  } catch {
    return new ChatMessage({ role: "unknown", content: jsonText(value) });
  }
}
