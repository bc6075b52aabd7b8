import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, type TokenCounter } from "@palimpsest/context";
import { type KeptContext } from "@palimpsest/context/selection";
import { runOf } from "../memory/step-archive.js";
import type { ThreadMemory } from "../memory/thread-memory.js";

/** A beginning of the context that may stay as it is. */
export interface ContextBeginning extends KeptContext {
  readonly messages: readonly BaseMessage[];
}

export interface BeginningOptions {
  /** No beginning tells of this step or a later one. */
  readonly most: number;
  readonly count: TokenCounter;
  /** Messages that are sent in any case: a beginning has to hold those of its steps in the same form. */
  readonly reserved: ReadonlyMap<number, readonly BaseMessage[]>;
}

/**
 * Returns the beginnings of a context that can stay when what is behind them is selected anew, the shortest first.
 *
 * Each ends with a stand-in or a whole step, where a provider allows a cut. Read from the messages
 * alone, so that a process that did not make them finds the same.
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
    const told = toldAt(context, at, { ...options, memory, step });
    if (told === undefined || told.end > options.most) break;
    // What a provider wants with the step before it stands with it or is selected anew.
    if (told.text === undefined && chunks[step]?.joined === true && !whole.has(step - 1)) break;
    if (told.text === undefined) whole.add(step);
    else texts.push(told.text);
    tokens += told.tokens;
    at += told.messages;
    step = told.end;
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

interface Told {
  /** The step behind it. */
  readonly end: number;
  readonly messages: number;
  readonly tokens: number;
  /** Undefined for a whole step. */
  readonly text?: string;
}

interface ToldOptions extends BeginningOptions {
  readonly memory: ThreadMemory;
  readonly step: number;
}

/** What the message at a place tells: a run of steps, or one step with all of its messages. */
function toldAt(
  context: readonly BaseMessage[],
  at: number,
  { memory, step, count, reserved }: ToldOptions,
): Told | undefined {
  const message = context[at];
  const fold = message === undefined ? undefined : foldOf(message);
  if (message !== undefined && fold?.kind === "chunk") {
    const run = runOf(fold.path);
    if (run?.first !== step) return undefined;
    for (const held of reserved.keys()) if (held >= run.first && held <= run.last) return undefined;
    return { end: run.last + 1, messages: 1, tokens: count([message]), text: message.text };
  }
  const own = memory.messagesOf(step);
  if (own === undefined || own.some(({ id }, nth) => id === undefined || id !== context[at + nth]?.id))
    return undefined;
  const sent = context.slice(at, at + own.length);
  // A result that came as a preview is one until its step is selected anew.
  if (!standsAs(sent, reserved.get(step) ?? own)) return undefined;
  return { end: step + 1, messages: own.length, tokens: count(sent) };
}

/** True where a step stands in the context in the form in which it is to be sent now. */
function standsAs(sent: readonly BaseMessage[], form: readonly BaseMessage[]): boolean {
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
