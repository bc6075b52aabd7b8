import type { BaseMessage } from "@langchain/core/messages";
import { charsOverFour, textOf } from "../../data/text-of.js";
import type { Policy, PolicyRun } from "../../policies/policy.js";
import type { HorizonRun, HorizonSystem } from "../system.js";

/** Returns a policy of the other suites as a system that has no tool to search with. */
export function ofPolicy(policy: Policy): HorizonSystem {
  return { name: policy.name, start: ({ window }) => promptsOf(policy.start({ budget: window, seed: 1 })) };
}

/** Returns a run of a policy with the size and the text of its last prompt. */
export function promptsOf(run: PolicyRun): Pick<HorizonRun, "step" | "prompt"> {
  let sent: readonly BaseMessage[] = [];
  let chunk = 0;
  return {
    async step(added) {
      sent = await run.context(added, { chunk: chunk++, needed: [] });
      return charsOverFour(sent);
    },
    prompt: () => sent.map(textOf).join("\n"),
  };
}
