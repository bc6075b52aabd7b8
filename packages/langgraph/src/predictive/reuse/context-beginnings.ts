import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, type TokenCounter } from "@palimpsest/context";
import { stepsOfRun } from "@palimpsest/context/internal";
import { type KeptContext } from "@palimpsest/context/selection";
import type { ThreadMemory } from "../memory/thread-memory.js";

/** A beginning of the current context that may stay as it is. */
export interface ContextBeginning extends KeptContext {
  readonly messages: readonly BaseMessage[];
}

export interface BeginningOptions {
  /** The first step that no beginning may cover. */
  readonly end: number;
  readonly count: TokenCounter;
  /** Messages that must be sent, by step: a beginning has to hold them in the same form. */
  readonly reserved: ReadonlyMap<number, readonly BaseMessage[]>;
}

/**
 * Returns the beginnings of a context that can stay when a new selection replaces the rest, the shortest first.
 *
 * Each ends with a stand-in or a whole step, at a legal cut point. Depends only on the messages, so that every process finds
 * the same ones.
 */
export function contextBeginnings(
  context: readonly BaseMessage[],
  memory: ThreadMemory,
  options: BeginningOptions,
): readonly ContextBeginning[] {
  const { chunks } = memory.index;
  const beginnings: ContextBeginning[] = [];
  const whole = new Set<number>();
  const texts: string[] = [];
  let tokens = 0;
  let step = 0;
  for (let at = 0; at < context.length;) {
    const part = partAt(context, at, { ...options, memory, step });
    if (part === undefined || part.end > options.end) break;
    // A step that is joined to the one before it stays with it, or a new selection replaces both.
    if (part.text === undefined && chunks[step]?.joined === true && !whole.has(step - 1)) break;
    if (part.text === undefined) whole.add(step);
    else texts.push(part.text);
    tokens += part.tokens;
    at += part.messages;
    step = part.end;
    if (texts.length === 0 || chunks[step]?.joined === true) continue;
    beginnings.push({
      end: step,
      whole: new Set(whole),
      texts: [...texts],
      tokens,
      messages: context.slice(0, at),
    });
  }
  return beginnings;
}

/** A run of steps or one whole step in a context. */
interface ContextPart {
  /** The step after it. */
  readonly end: number;
  readonly messages: number;
  readonly tokens: number;
  /** Text of the stand-in; undefined for a whole step. */
  readonly text?: string;
}

interface PartOptions extends BeginningOptions {
  readonly memory: ThreadMemory;
  readonly step: number;
}

/** Returns the part of the context that begins with a message; undefined if it is not of the form that `step` should have. */
function partAt(
  context: readonly BaseMessage[],
  at: number,
  { memory, step, count, reserved }: PartOptions,
): ContextPart | undefined {
  const message = context[at];
  const fold = message === undefined ? undefined : foldOf(message);
  if (message !== undefined && fold?.kind === "chunk") {
    const run = stepsOfRun(fold.path);
    if (run?.first !== step) return undefined;
    for (const must of reserved.keys()) if (must >= run.first && must <= run.last) return undefined;
    return { end: run.last + 1, messages: 1, tokens: count([message]), text: message.text };
  }
  const own = memory.messagesOf(step);
  if (own === undefined || own.some(({ id }, nth) => id === undefined || id !== context[at + nth]?.id))
    return undefined;
  const sent = context.slice(at, at + own.length);
  // A preview stays a preview until a new selection replaces its step.
  if (!hasSameForm(sent, reserved.get(step) ?? own)) return undefined;
  return { end: step + 1, messages: own.length, tokens: count(sent) };
}

/** Returns whether a step was sent in the form in which it must be sent now. */
function hasSameForm(sent: readonly BaseMessage[], form: readonly BaseMessage[]): boolean {
  return (
    sent.length === form.length &&
    sent.every((message, at) => {
      const other = form[at];
      if (other === undefined || message.id !== other.id) return false;
      const isFolded = foldOf(message)?.reason === "predicted" || foldOf(other)?.reason === "predicted";
      return !isFolded || message.text === other.text;
    })
  );
}
