import type { BaseMessage } from "@langchain/core/messages";
import { saidBy } from "../messages/said-by.js";
import { originalMessage } from "../messages/sound/original-message.js";
import { foldOf } from "./fold.js";

/** Everything that one message opened. */
interface Stretch {
  readonly id: string;
  readonly from: number;
  readonly messages: readonly (BaseMessage | undefined)[];
}

/** A list that takes out what a message opened in constant time: the depth of nested folds grows with the thread. */
export class OpenedList {
  readonly #messages: (BaseMessage | undefined)[] = [];
  /** Positions of what each message opened, up to but not including the last. */
  readonly #stretches = new Map<string, (readonly [from: number, until: number])[]>();

  get length(): number {
    return this.#messages.length;
  }

  push(message: BaseMessage): void {
    this.#messages.push(message);
  }

  /** Notes that everything from `from` on was opened from the message with this id. */
  mark(id: string | undefined, from: number): void {
    if (id === undefined) return;
    const stretches = this.#stretches.get(id);
    if (stretches === undefined) this.#stretches.set(id, [[from, this.length]]);
    else stretches.push([from, this.length]);
  }

  /** Removes what a message opened, and returns the newest. */
  take(id: string): Stretch | undefined {
    let newest: Stretch | undefined;
    for (const [from, until] of this.#stretches.get(id) ?? []) {
      newest = { id, from, messages: this.#messages.slice(from, until) };
      this.#messages.fill(undefined, from, until);
    }
    this.#stretches.delete(id);
    return newest;
  }

  /**
   * Ends a {@link take} when the record is open. The record restores the message in its place; an edit that the host has made
   * since then takes the place of the original. What no record restores goes back to where it was.
   */
  settle({ id, from, messages }: Stretch): void {
    const [at, until = 0] = this.#stretches.get(id)?.at(-1) ?? [];
    if (at === undefined) {
      for (const [offset, message] of messages.entries()) this.#messages[from + offset] = message;
      this.#stretches.set(id, [[from, from + messages.length]]);
      return;
    }
    const current = onlyOf(messages);
    const recorded = onlyOf(this.#messages.slice(at, until));
    // A stand-in says less than its original.
    if (current === undefined || recorded === undefined || foldOf(current) !== undefined) return;
    if (saidBy(recorded) !== saidBy(current)) this.#messages[at] = current;
  }

  toArray(): BaseMessage[] {
    return this.#messages.flatMap((message) => (message === undefined ? [] : originalMessage(message)));
  }
}

/** Returns the only message of a list; undefined for a longer one. */
function onlyOf([message, ...others]: Stretch["messages"]): BaseMessage | undefined {
  return others.length > 0 ? undefined : message;
}
