import type { BaseMessage } from "@langchain/core/messages";
import { isToolResult } from "@palimpsest/context/internal";

/** How another package writes a turn: one message, or all results of the calls of one. */
export interface Format<Theirs extends object> {
  readonly toTheirs: (turn: readonly BaseMessage[]) => Theirs;
  readonly toOurs: (theirs: Theirs) => readonly BaseMessage[];
}

/** Translates both ways. What comes back as the object that it was is the message that it was, with everything it had. */
export class Translator<Theirs extends object> {
  readonly #originals = new WeakMap<Theirs, readonly BaseMessage[]>();

  constructor(readonly format: Format<Theirs>) {}

  toTheirs(messages: readonly BaseMessage[]): readonly Theirs[] {
    return turnsOf(messages).map((turn) => this.#keep(this.format.toTheirs(turn), turn));
  }

  toOurs(list: readonly Theirs[]): readonly BaseMessage[] {
    return list.flatMap((one) => {
      const known = this.#originals.get(one) ?? this.format.toOurs(one);
      this.#keep(one, known);
      return known;
    });
  }

  #keep(theirs: Theirs, ours: readonly BaseMessage[]): Theirs {
    this.#originals.set(theirs, ours);
    return theirs;
  }
}

function turnsOf(messages: readonly BaseMessage[]): readonly (readonly BaseMessage[])[] {
  const turns: BaseMessage[][] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (isToolResult(message) && last?.[0] !== undefined && isToolResult(last[0])) last.push(message);
    else turns.push([message]);
  }
  return turns;
}
