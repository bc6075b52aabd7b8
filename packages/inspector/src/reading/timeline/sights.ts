import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "@palimpsest/context";
import type { ContextChange } from "./context-change.js";

/** Numbers of steps at which a message was in the context, both inclusive. An end that no step has shown yet is undefined. */
interface OpenSpan {
  from: number | undefined;
  to: number | undefined;
}

/** The steps at which each message of a thread was in the context word for word. Takes only changes, at either end of the steps. */
export class Sights {
  readonly #spans = new Map<string, OpenSpan[]>();

  /** Notes the context of the newest step. */
  newest(context: readonly BaseMessage[]): void {
    for (const id of idsOf(context)) this.#of(id).push({ from: undefined, to: undefined });
  }

  /** Notes the step before the earliest one, whose number is `after`. */
  earlier({ removed, added }: ContextChange, after: number): void {
    const [gone, come] = [idsOf(removed), idsOf(added)];
    for (const id of come) if (!gone.has(id)) close(this.#of(id), "from", after);
    for (const id of gone) if (!come.has(id)) this.#of(id).push({ from: undefined, to: after - 1 });
  }

  /** Records the step after the last one, whose number is `before`. */
  later({ removed, added }: ContextChange, before: number): void {
    const [gone, come] = [idsOf(removed), idsOf(added)];
    for (const id of gone) if (!come.has(id)) close(this.#of(id), "to", before);
    for (const id of come) if (!gone.has(id)) this.#of(id).push({ from: before + 1, to: undefined });
  }

  /** Returns the spans of steps of a message, oldest first; steps have the numbers from `first` to `last`. */
  spans(messageId: string, [first, last]: readonly [number, number]): readonly (readonly [number, number])[] {
    const spans = this.#spans.get(messageId) ?? [];
    return spans
      .map(({ from = first, to = last }): readonly [number, number] => [from, to])
      .toSorted(([a], [b]) => a - b);
  }

  #of(id: string): OpenSpan[] {
    const known = this.#spans.get(id);
    if (known !== undefined) return known;
    const spans: OpenSpan[] = [];
    this.#spans.set(id, spans);
    return spans;
  }
}

function close(spans: readonly OpenSpan[], end: "from" | "to", number: number): void {
  const open = spans.find((span) => span[end] === undefined);
  if (open !== undefined) open[end] = number;
}

/** Ids of the messages that stand for themselves. */
function idsOf(messages: readonly BaseMessage[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.id !== undefined && foldOf(message) === undefined) ids.add(message.id);
  }
  return ids;
}
