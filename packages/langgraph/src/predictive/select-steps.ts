import type { BaseMessage } from "@langchain/core/messages";
import { renderExcerpt, selectContext, type TokenCounter } from "@palimpsest/context";
import { assembleContext, type AssembledContext, type StepChoice } from "./assemble-context.js";
import type { ThreadMemory } from "./thread-memory.js";

export interface SelectStepsOptions {
  /** Tokens of the counter. */
  readonly budget: number;
  readonly wholeSteps: number;
  readonly count: TokenCounter;
}

/** Tries that a selection has to come under the budget on the counter's scale. */
const tries = 6;

/**
 * Returns the context by reuse coverage, at most `budget` tokens on the counter's scale; undefined when what is left at
 * the last try is still more.
 *
 * Selections are made in characters; how many the counter sees in a token is measured on each try.
 */
export function selectSteps(memory: ThreadMemory, options: SelectStepsOptions): AssembledContext | undefined {
  const { budget, wholeSteps, count } = options;
  let characters = budget * 4 * 0.9;
  for (let attempt = 0; attempt < tries; attempt++) {
    const assembled = assembleContext(memory, choose(memory, characters / 4, wholeSteps), count);
    const tokens = count(assembled.messages);
    if (tokens <= budget) return assembled;
    characters *= Math.min(0.95, (budget / tokens) * 0.97);
  }
  return undefined;
}

function choose(memory: ThreadMemory, budget: number, wholeSteps: number): StepChoice {
  const { index } = memory;
  const { whole, excerpts } = selectContext(index, {
    budget,
    wholeSteps,
    canBeWhole: (chunk) => memory.canBeWhole(chunk.index),
  });
  return {
    whole,
    told: [...excerpts.keys()],
    textOf(step) {
      const chunk = index.chunks[step];
      const blocks = excerpts.get(step);
      const name = memory.placeOf(step)?.name;
      return chunk === undefined || blocks === undefined || name === undefined
        ? ""
        : renderExcerpt(chunk, blocks, name);
    },
  };
}

/** True for a context in which the newest step stands as it is: a model that has not seen it must be shown it. */
export function endsWhole(messages: readonly BaseMessage[], lastId: string | undefined): boolean {
  return messages.at(-1)?.id === lastId;
}
