import type { BaseMessage } from "@langchain/core/messages";
import { charsOverFour, textOf } from "../../data/text-of.js";
import type { Policy } from "../../policies/policy.js";
import type { HorizonSystem } from "../system.js";

/** Returns a system that shows what a policy chooses, with the window as its budget. */
export function policySystem(policy: Policy): HorizonSystem {
  return {
    name: policy.name,
    start({ window }) {
      const run = policy.start({ budget: window, seed: 1 });
      let context: readonly BaseMessage[] = [];
      let chunk = 0;
      return {
        async step(added) {
          context = await run.context(added, { chunk: ++chunk, needed: [] });
          return charsOverFour(context);
        },
        prompt: () => context.map(textOf).join("\n"),
      };
    },
  };
}
