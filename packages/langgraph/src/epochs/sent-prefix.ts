import type { BaseMessage } from "@langchain/core/messages";
import {
  changedFrom,
  hasBoundReasoning,
  hasLostReasoning,
  isAi,
  usageOf,
  withMark,
  type PrefixMark,
} from "@palimpsest/context/internal";

/** The beginning of the prompt as it was sent last. */
export interface SentPrefix {
  /** Oldest first; their number grows with the logarithm of the messages. */
  readonly marks: readonly PrefixMark[];
  /** Digests of the system prompt and the tools, as each of our middlewares sees them, the outermost first. */
  readonly frames?: readonly string[];
  /** The model has reasoned, even if a compaction has folded all that shows it. */
  readonly reasons?: true | undefined;
}

/** Number of newest messages that are searched for reasoning, so that a step of a long thread does not search all of it. */
const searched = 64;

/**
 * Returns whether the model of a thread reasons, and binds its reasoning to the prefix, which also shows where reasoning was removed.
 * Reads the newest messages.
 */
export function reasons(messages: readonly BaseMessage[]): boolean {
  for (let index = Math.max(0, messages.length - searched); index < messages.length; index++) {
    const message = messages[index];
    if (message !== undefined && (hasBoundReasoning(message) || hasLostReasoning(message))) return true;
  }
  return false;
}

/**
 * Returns whether a step must run to record the prefix of a thread: its model reasons, or has not answered yet, or no mark is valid
 * any more, in which case the host may still undo the change that broke them.
 */
function isNeeded(messages: readonly BaseMessage[], known: SentPrefix | undefined): boolean {
  if (known !== undefined && (known.reasons === true || known.marks.length !== 1)) return true;
  if (reasons(messages)) return true;
  return messages.length > 0 && !messages.some(isAi);
}

/**
 * Returns whether a step that runs records the prefix: it is needed, or the newest reply reports the size of its prompt. Such a report
 * counts only as long as the host changes nothing before it.
 */
export function isTracked(messages: readonly BaseMessage[], known: SentPrefix | undefined): boolean {
  return usageOf(messages.findLast(isAi)) !== undefined || isNeeded(messages, known);
}

/**
 * Returns the prefix with a mark of the whole list, for which its marks must be valid; the same object if it has that mark. Where the
 * model does not reason, that is the only mark: nobody asks then what is left before a change.
 */
export function markedPrefix(messages: readonly BaseMessage[], known: SentPrefix | undefined): SentPrefix {
  const marks = withMark(messages, known?.marks ?? []);
  if (known !== undefined && marks === known.marks) return known;
  const isReasoning = known?.reasons === true || reasons(messages);
  return {
    ...known,
    marks: isReasoning ? marks : marks.slice(-1),
    ...(isReasoning ? { reasons: true } : {}),
  };
}

/** Returns the prefix with only those marks that end before the first message that a rewrite has changed. */
export function rewrittenPrefix(
  known: SentPrefix | undefined,
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
): SentPrefix | undefined {
  if (known === undefined || before === after) return known;
  const changed = after.findIndex((message, index) => message !== before[index]);
  if (changed < 0 && after.length >= before.length) return known;
  // The rewrite may have folded all that shows it.
  const noted: SentPrefix = known.reasons !== true && reasons(before) ? { ...known, reasons: true } : known;
  return withMarks(noted, changed < 0 ? after.length : changed);
}

/** Returns the prefix with the marks of at most `count` messages. */
export function withMarks(known: SentPrefix, count: number): SentPrefix {
  const marks: readonly PrefixMark[] = known.marks.filter(({ messages }) => messages <= count);
  return marks.length === known.marks.length ? known : { ...known, marks };
}

/** Returns the prefix with the marks that are valid for a list. */
export function sentPrefix(
  messages: readonly BaseMessage[],
  known: SentPrefix | undefined,
): SentPrefix | undefined {
  const from = known === undefined ? undefined : changedFrom(messages, known.marks);
  return known === undefined || from === undefined ? known : withMarks(known, from);
}

/** Returns whether the node must run for a thread: its prefix is needed, and its newest messages have no mark yet. */
export function isUnmarked(
  messages: readonly BaseMessage[],
  state: { readonly prefix?: SentPrefix | undefined } | undefined,
): boolean {
  if (state === undefined || !isNeeded(messages, state.prefix)) return false;
  const marks = state.prefix?.marks ?? [];
  return marks.at(-1)?.messages !== messages.length || changedFrom(messages, marks) !== undefined;
}
