import type { BaseMessage } from "@langchain/core/messages";
import type { Step } from "../data/steps.js";
import type { Policy } from "../policies/policy.js";

export interface PlayOptions {
  /** Tokens of four characters. */
  readonly budget: number;
  /** @default 1 */
  readonly seed?: number;
}

/** Returns what a policy shows before each model call of a run, in order. */
export async function* playPolicy(
  steps: readonly Step[],
  policy: Policy,
  { budget, seed = 1 }: PlayOptions,
): AsyncGenerator<{ readonly step: Step; readonly context: readonly BaseMessage[] }> {
  const run = policy.start({ budget, seed });
  for (const step of steps) {
    const { chunk, added, needed } = step;
    const context = await run.context(added, { chunk, needed: needed.map(({ text }) => text) });
    yield { step, context };
  }
}
