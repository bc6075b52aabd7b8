import type { BaseMessage } from "@langchain/core/messages";
import type { Chunk } from "../data/chunks.js";
import { randomFrom } from "../data/random-from.js";
import { ChunkLog } from "./chunk-log.js";
import type { Policy, StepFacts } from "./policy.js";

/** A choice of whole chunks under a budget. */
export interface Selection {
  readonly log: ChunkLog;
  readonly facts: StepFacts;
  readonly random: () => number;
  readonly chosen: ReadonlySet<Chunk>;
  /** Tokens that are still free. */
  readonly left: () => number;
  /** Takes a chunk when it fits; false when it does not. */
  readonly take: (chunk: Chunk) => boolean;
}

/** Fills the budget; called at each step. */
export type Fill = (selection: Selection) => void;

export interface BudgetedOptions {
  readonly name: string;
  /** Returns what fills the budgets of one thread. */
  readonly start: (options: { readonly budget: number }) => {
    readonly fill: Fill;
    readonly add?: (chunks: readonly Chunk[]) => void;
  };
}

/** Returns a policy that shows whole chunks in their order: the base, and what `fill` takes while it fits. */
export function budgetedPolicy({ name, start }: BudgetedOptions): Policy {
  return {
    name,
    start({ budget, seed }) {
      const log = new ChunkLog();
      const random = randomFrom(seed);
      const { fill, add } = start({ budget });
      return {
        context: async (added, facts) => {
          const chunks = log.add(added);
          add?.(chunks);
          return select({ log, facts, random, budget, fill });
        },
      };
    },
  };
}

interface SelectOptions {
  readonly log: ChunkLog;
  readonly facts: StepFacts;
  readonly random: () => number;
  readonly budget: number;
  readonly fill: Fill;
}

function select({ log, facts, random, budget, fill }: SelectOptions): readonly BaseMessage[] {
  const chosen = new Set<Chunk>(log.base);
  let used = [...chosen].reduce((sum, chunk) => sum + chunk.tokens, 0);
  const take = (chunk: Chunk) => {
    if (chosen.has(chunk)) return true;
    if (used + chunk.tokens > budget) return false;
    chosen.add(chunk);
    used += chunk.tokens;
    return true;
  };
  fill({ log, facts, random, chosen, left: () => budget - used, take });
  return [...chosen].toSorted((a, b) => a.index - b.index).flatMap(({ messages }) => messages);
}
