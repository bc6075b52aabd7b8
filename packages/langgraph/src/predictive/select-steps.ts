import type { BaseMessage } from "@langchain/core/messages";
import { renderExcerpt, selectContext, type TokenCounter } from "@palimpsest/context";
import { assembleContext, type AssembledContext, type StepChoice } from "./assemble-context.js";
import type { ThreadMemory } from "./thread-memory.js";
import { unseenSteps, type UnseenSteps } from "./unseen-steps.js";

export interface SelectStepsOptions {
  /** Tokens of the counter. */
  readonly budget: number;
  readonly wholeSteps: number;
  readonly count: TokenCounter;
}

/** Tries that a selection has to come under the budget on the counter's scale. */
const tries = 6;
/** Share of the budget that results take which the model has not been shown, and that is left for the user's words. */
const wholeShare = 0.85;
const mostUserShare = 0.35;

/**
 * Returns the context by reuse coverage, at most `budget` tokens on the counter's scale; undefined when what is left at
 * the last try is still more.
 *
 * What the model has not been shown arrives whole or as a preview. Selections are made in characters; how many the counter sees in a token is measured on each try.
 */
export function selectSteps(memory: ThreadMemory, options: SelectStepsOptions): AssembledContext | undefined {
  const { budget, count } = options;
  let share = 0.9;
  for (let attempt = 0; attempt < tries; attempt++) {
    const limit = share * (wholeShare * budget - userTokens(memory, options));
    const unseen = unseenSteps(memory, { limit, count });
    const assembled = assembleContext(memory, choose(memory, share * budget, { ...options, unseen }), count);
    const tokens = count(assembled.messages);
    if (tokens <= budget) {
      const writes = [...unseen.writes, ...assembled.writes];
      return { ...assembled, writes, folds: [...unseen.folds, ...assembled.folds] };
    }
    share *= Math.min(0.95, (budget / tokens) * 0.97);
  }
  return undefined;
}

/** Tokens to leave to the first and the newest message of the user, which come before all else that was seen. */
function userTokens(memory: ThreadMemory, { budget, count }: SelectStepsOptions): number {
  const { users, newestUser } = memory.index;
  const steps = new Set([users[0]?.index, newestUser?.index]);
  const messages = [...steps].flatMap((step) => (step === undefined ? [] : (memory.messagesOf(step) ?? [])));
  return Math.min(mostUserShare * budget, count(messages));
}

interface ChooseOptions extends SelectStepsOptions {
  readonly unseen: UnseenSteps;
}

function choose(
  memory: ThreadMemory,
  budget: number,
  { wholeSteps, count, unseen }: ChooseOptions,
): StepChoice {
  const { index } = memory;
  const previews = [...unseen.texts.values()].reduce((sum, text) => sum + text.length / 4, 0);
  const { whole, excerpts } = selectContext(index, {
    budget: Math.max(0, budget - previews),
    wholeSteps,
    // A step that is told by previews is told so once, and not whole beside it.
    canBeWhole: (chunk) => memory.canBeWhole(chunk.index) && !unseen.texts.has(chunk.index),
    unseen: new Map([...unseen.messages].map(([step, messages]) => [step, tokensOf(step, messages)])),
  });
  function tokensOf(step: number, messages: readonly BaseMessage[]): number {
    const isWhole = messages.every((message, at) => message === memory.keptMessagesOf(step)[at]);
    return isWhole ? (index.chunks[step]?.tokens ?? 0) : count(messages);
  }
  return {
    whole,
    sent: unseen.messages,
    told: [...new Set([...excerpts.keys(), ...unseen.texts.keys()])].sort((a, b) => a - b),
    textOf(step) {
      const chunk = index.chunks[step];
      const blocks = excerpts.get(step) ?? [];
      const name = memory.placeOf(step)?.name;
      const excerpt = chunk === undefined || name === undefined ? "" : renderExcerpt(chunk, blocks, name);
      return [unseen.texts.get(step) ?? "", excerpt].filter((text) => text !== "").join("\n");
    },
  };
}
