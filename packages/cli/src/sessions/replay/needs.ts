import type { BaseMessage } from "@langchain/core/messages";
import { estimateTokens } from "@palimpsest/context";
import { callAtoms, visibleText } from "@palimpsest/context/internal";

/** What the calls of an answer use that stood in an earlier message. */
export interface Need {
  readonly atom: string;
  /** Tokens of the smallest earlier message with it: what reading it again costs at least. */
  readonly tokens: number;
}

/** Shorter strings occur by chance. */
const shortest = 4;

/** Knows which message of a run holds what its calls use. Looks into each message once, whatever the number of prompts. */
export class Needs {
  readonly #atoms: readonly string[];
  readonly #held = new WeakMap<BaseMessage, ReadonlySet<string>>();
  readonly #byAnswer = new Map<string, readonly Need[]>();

  constructor(messages: readonly BaseMessage[]) {
    const used = messages.map((message) =>
      [...new Set(callAtoms(message))].filter(({ length }) => length >= shortest),
    );
    this.#atoms = [...new Set(used.flat())];
    const smallest = new Map<string, number>();
    for (const [at, message] of messages.entries()) {
      const needs = (used[at] ?? []).flatMap((atom) => {
        const tokens = smallest.get(atom);
        return tokens === undefined ? [] : [{ atom, tokens }];
      });
      if (message.getType() === "ai") this.#byAnswer.set(message.id ?? "", needs);
      const tokens = estimateTokens([message]);
      for (const atom of this.heldBy(message))
        smallest.set(atom, Math.min(tokens, smallest.get(atom) ?? Infinity));
    }
  }

  of(answer: BaseMessage): readonly Need[] {
    return this.#byAnswer.get(answer.id ?? "") ?? [];
  }

  /** Returns the needs that a prompt does not meet. */
  missing(needs: readonly Need[], prompt: readonly BaseMessage[]): readonly Need[] {
    return needs.filter(({ atom }) => !prompt.some((message) => this.heldBy(message).has(atom)));
  }

  heldBy(message: BaseMessage): ReadonlySet<string> {
    const known = this.#held.get(message);
    if (known !== undefined) return known;
    const text = visibleText([message]);
    const held = new Set(this.#atoms.filter((atom) => text.includes(atom)));
    this.#held.set(message, held);
    return held;
  }
}
