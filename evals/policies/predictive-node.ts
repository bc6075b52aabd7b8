import { predictiveContextNode, type PredictiveContextOptions } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { charsOverFour } from "../data/text-of.js";
import { NodeThread } from "../metrics/node-thread.js";
import type { Policy, PolicyRun } from "./policy.js";

/**
 * Returns the real predictive node over a thread of its own: with heads, archive paths, previews and a legal order of
 * messages, all of them within the budget.
 *
 * @param targetFraction share of the budget to which it selects; the node's own default without it
 * @param policy how it selects
 * @param every steps between two selections
 */
export function predictiveNode(
  targetFraction?: number,
  policy: "reuse" | "pace" = "reuse",
  every?: number,
): Policy {
  const how = [
    ...(policy === "pace" ? ["PACE"] : []),
    ...(targetFraction === undefined ? [] : [`targetFraction ${targetFraction}`]),
    ...(every === undefined ? [] : [`every ${every}`]),
  ];
  return {
    name: ["predictive node", ...how].join(", "),
    start: ({ budget }) =>
      predictiveRun(budget, {
        policy,
        ...(targetFraction === undefined ? {} : { targetFraction }),
        ...(every === undefined ? {} : { every }),
      }),
  };
}

/** Returns the real predictive node as the suites measure it: with tokens of four characters, and without a failure that it hides. */
export function measuredNode(
  given: Pick<PredictiveContextOptions, "files" | "budget">,
  options: Partial<PredictiveContextOptions> = {},
) {
  return predictiveContextNode({ tokenCounter: charsOverFour, onError: "throw", ...given, ...options });
}

/** Returns a run of the real predictive node over a thread of its own. */
export function predictiveRun(budget: number, options: Partial<PredictiveContextOptions> = {}): PolicyRun {
  const thread = new NodeThread(measuredNode({ files: VirtualFilesystem.inMemory(), budget }, options));
  return { context: (added) => thread.step(added) };
}
