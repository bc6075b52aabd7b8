import type { BaseMessage } from "@langchain/core/messages";
import { digest } from "./message-id.js";
import { soundMessage } from "./sound/sound-message.js";
import { blocksOf, type Block } from "./text.js";
import { isAi, soundCalls } from "./tool-calls.js";

/** A mark of the first `messages` messages of a context, as they were sent. */
export interface PrefixMark {
  readonly messages: number;
  /** Digest of these messages in the form that a provider receives, in order. */
  readonly digest: string;
}

/** Marks kept for each doubling of the distance from the end. */
const marksPerOctave = 4;

const emptyMark: PrefixMark = { messages: 0, digest: "" };

interface Digested {
  readonly messages: BaseMessage[];
  readonly digest: string;
}

/** Cache of the newest digested list of each thread, by its last message. */
const digested = new WeakMap<BaseMessage, Digested>();

/**
 * Returns how many of the first messages are unchanged since they were sent, or undefined if the newest mark is valid, so that
 * only new messages follow it, and if there are no marks.
 *
 * Messages that were stored and read again compare equal; ids and metadata do not count. Pure. Compares object identities
 * for lists that were marked in this process, and reads every message of others.
 */
export function changedFrom(
  messages: readonly BaseMessage[],
  marks: readonly PrefixMark[],
): number | undefined {
  const newest = marks.at(-1);
  if (newest === undefined || holds(messages, newest)) return undefined;
  let unchanged = emptyMark;
  let current = emptyMark;
  for (const mark of marks.slice(0, -1)) {
    if (mark.messages > messages.length) break;
    current = { messages: mark.messages, digest: extended(current, messages, mark.messages) };
    if (current.digest !== mark.digest) break;
    unchanged = mark;
  }
  return unchanged.messages;
}

/**
 * Returns the marks with one of the whole list and one that ends at its newest reply. `marks` must be valid for the list.
 *
 * Reasoning is in replies, so marks that end at a reply show exactly which reasoning precedes a change. The number of marks
 * grows with the logarithm of the messages, and newer marks are denser. Time is proportional to the messages after the newest
 * mark. Pure.
 */
export function withMark(
  messages: readonly BaseMessage[],
  marks: readonly PrefixMark[],
): readonly PrefixMark[] {
  const count = messages.length;
  const last = messages.at(-1);
  const newest = marks.at(-1) ?? emptyMark;
  if (last === undefined || newest.messages === count) return marks;
  const replies = Math.max(newest.messages, 1 + messages.findLastIndex(isAi));
  const atReply = { messages: replies, digest: extended(newest, messages, replies) };
  const mark = { messages: count, digest: extended(atReply, messages, count) };
  digested.set(last, { messages: grown(messages, newest), digest: mark.digest });
  const ends = [...marks, atReply].filter(({ messages: end }) => end < count && isReply(messages[end - 1]));
  return [...thinned(ends, count), mark];
}

/**
 * Returns a list of the messages for the cache: that of the mark with the new messages, so that a step of a long thread copies nothing.
 * It is a list of its own, because some hosts change the list of a state in place.
 */
function grown(messages: readonly BaseMessage[], from: PrefixMark): BaseMessage[] {
  const marked = messages[from.messages - 1];
  const known = marked && digested.get(marked);
  if (marked === undefined || known === undefined) return [...messages];
  digested.delete(marked);
  if (known.digest !== from.digest || known.messages.length !== from.messages) return [...messages];
  for (let index = from.messages; index < messages.length; index++)
    known.messages.push(messages[index] as BaseMessage);
  return known.messages;
}

function isReply(message: BaseMessage | undefined): boolean {
  return message !== undefined && isAi(message);
}

/** Returns the marks without repeated ones, and the oldest few for each doubling of the distance from the end. */
function thinned(marks: readonly PrefixMark[], count: number): readonly PrefixMark[] {
  const perOctave = new Map<number, number>();
  return marks.filter(({ messages: end }, index) => {
    if (end === marks[index + 1]?.messages) return false;
    const octave = Math.floor(Math.log2(count - end));
    const kept = perOctave.get(octave) ?? 0;
    perOctave.set(octave, kept + 1);
    return kept < marksPerOctave;
  });
}

function holds(messages: readonly BaseMessage[], mark: PrefixMark): boolean {
  if (mark.messages > messages.length) return false;
  const last = messages[mark.messages - 1];
  const known = last === undefined ? undefined : digested.get(last);
  const isKnown = known?.messages.length === mark.messages && beginsWith(messages, known.messages);
  if (isKnown) return known.digest === mark.digest;
  const isValid = extended(emptyMark, messages, mark.messages) === mark.digest;
  // Other objects than those before, as after reading a checkpoint: the next step knows them.
  if (isValid && last !== undefined)
    digested.set(last, { messages: messages.slice(0, mark.messages), digest: mark.digest });
  return isValid;
}

/** A loop: in a long thread it is most of a quiet step, and takes half of what `every` takes. */
function beginsWith(messages: readonly BaseMessage[], first: readonly BaseMessage[]): boolean {
  for (let index = 0; index < first.length; index++) if (first[index] !== messages[index]) return false;
  return true;
}

/** Returns the digest of the first `count` messages, from that of fewer. */
function extended(from: PrefixMark, messages: readonly BaseMessage[], count: number): string {
  let result = from.digest;
  for (let index = from.messages; index < count; index++)
    result = digest(result + sentForm(messages[index] as BaseMessage));
  return result;
}

const roles: ReadonlySet<string> = new Set(["human", "ai", "system", "tool", "function"]);

/**
 * Returns what a provider receives of a message, equal for messages that it receives alike. The text of a message with no other
 * content stands behind the rest as it is: JSON of long texts takes most of the time of a loaded thread.
 */
function sentForm(original: BaseMessage): string {
  const message = soundMessage(original);
  const {
    tool_call_id: callId,
    status,
    name,
  } = message as { tool_call_id?: string; status?: string; name?: string };
  const calls = soundCalls(message).map(({ id, name: tool, args }) => [id, tool, args]);
  // A message of an unknown class is restored from storage as another class.
  const role = roles.has(message.getType()) ? message.getType() : "other";
  const frame = [role, name, calls, callId, status === "error"];
  const text = onlyText(message);
  // A digest reads lone surrogates as the replacement character; JSON escapes them.
  if (text?.isWellFormed() === true) return JSON.stringify(frame) + text;
  return JSON.stringify([...frame, blocksOf(message.content).map(withoutBreakpoint)]);
}

/** Returns the content of a message that is nothing but one text; undefined for any other. */
function onlyText({ content }: BaseMessage): string | undefined {
  if (typeof content === "string") return content;
  const [first, second] = blocksOf(content).map(withoutBreakpoint);
  if (first === undefined) return "";
  const { type, text, ...rest } = first;
  const isText = type === "text" && typeof text === "string" && text !== "";
  return isText && second === undefined && Object.keys(rest).length === 0 ? text : undefined;
}

/** Returns a content block without its cache breakpoint, which may move without invalidating reasoning. */
export function withoutBreakpoint(block: Block): Block {
  if (!("cache_control" in block)) return block;
  return Object.fromEntries(Object.entries(block).filter(([key]) => key !== "cache_control"));
}
