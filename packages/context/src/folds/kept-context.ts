import type { BaseMessage } from "@langchain/core/messages";
import { withIds } from "../messages/message-id.js";
import { originalMessages } from "../messages/sound/original-message.js";
import { soundMessages } from "../messages/sound/sound-messages.js";
import { foldOf } from "./fold.js";
import { continueView, markView } from "./view.js";

/**
 * A part of a context beside its thread: a message of the thread by its id, several in a row by the first and the last id, or a
 * stand-in.
 */
export type ContextPart = string | readonly [first: string, last: string] | BaseMessage;

/** The last thread for which parts were opened or made, and what they were: within a run a step meets the same objects. */
interface Opened {
  readonly thread: readonly BaseMessage[];
  /** The context as it was stored. */
  readonly context: readonly BaseMessage[];
  /** The context with what the thread has gained. */
  readonly continued: readonly BaseMessage[];
}
const opened = new WeakMap<readonly ContextPart[], Opened>();

/**
 * Returns what a context differs in from its thread: stand-ins, and in place of every other message its id. Undefined if it
 * differs in nothing. Pure.
 */
export function partsOfContext(
  context: readonly BaseMessage[],
  given: readonly BaseMessage[],
): readonly ContextPart[] | undefined {
  if (!context.some((message) => foldOf(message) !== undefined)) return undefined;
  const marked = originalMessages(markView(context, given));
  const places = placesIn(withIds(given));
  const parts: ContextPart[] = [];
  let end = -1;
  for (const message of marked) {
    const place = foldOf(message) === undefined ? places.get(message.id) : undefined;
    const id = message.id ?? "";
    if (place === undefined) parts.push(message);
    else if (place === end) parts.push([firstOf(parts.pop()), id]);
    else parts.push(id);
    end = place === undefined ? -1 : place + 1;
  }
  opened.set(parts, { thread: given, context: marked, continued: marked });
  return parts;
}

/**
 * Returns the context that the parts describe, with what the thread has gained and changed since, as `continueView` says. Parts
 * of another thread give the thread. The same arguments give the same list. Pure.
 */
export function continueContext(
  parts: readonly ContextPart[],
  thread: readonly BaseMessage[],
): readonly BaseMessage[] {
  const seen = opened.get(parts);
  if (seen?.thread === thread) return seen.continued;
  // A longer thread leaves what the parts name as it was; a changed one does not.
  const isSame = seen !== undefined && seen.thread.every((message, at) => message === thread[at]);
  const context = isSame ? seen.context : openParts(parts, withIds(thread));
  const continued = context === undefined ? thread : continueView(thread, context);
  opened.set(parts, { thread, context: context ?? thread, continued });
  return continued;
}

/** Returns the messages that parts name; undefined if the thread has none of them. */
function openParts(
  parts: readonly ContextPart[],
  thread: readonly BaseMessage[],
): readonly BaseMessage[] | undefined {
  const places = placesIn(thread);
  let isOwn = false;
  const messages = parts.flatMap((part) => {
    const ids = typeof part === "string" ? ([part, part] as const) : isRange(part) ? part : undefined;
    const [first, last] = (ids ?? [part as BaseMessage].map(({ id }) => id)).map((id) => places.get(id));
    isOwn ||= first !== undefined;
    if (ids === undefined) return soundMessages([part as BaseMessage]);
    return first === undefined || last === undefined ? [] : thread.slice(first, last + 1);
  });
  return isOwn ? messages : undefined;
}

function isRange(part: ContextPart): part is readonly [string, string] {
  return Array.isArray(part);
}

function firstOf(part: ContextPart | undefined): string {
  return typeof part === "string" ? part : ((part as readonly [string, string] | undefined)?.[0] ?? "");
}

function placesIn(thread: readonly BaseMessage[]): ReadonlyMap<string | undefined, number> {
  return new Map(thread.map(({ id }, at) => [id, at]));
}
