import { foldNode, type FoldOptions } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { charsOverFour } from "../data/text-of.js";
import { NodeThread } from "../metrics/node-thread.js";
import type { Policy, PolicyRun } from "./policy.js";

/** Share of the budget that the past may take, as blocks and in full; the rest is for the goal and the latest interaction. */
const blockShare = 0.7;
/** Share of the budget for interactions in full. */
const keepShare = 0.4;
/** Share of the budget over which a result is offloaded, where the default of 20,000 tokens is more. */
const offloadShare = 1 / 8;

/** The real fold node in a window of the budget. The recorded model never folds, so that all summaries are automatic. */
export const palimpsestFolding: Policy = {
  name: "Palimpsest folding",
  start: ({ budget }) => foldingRun(budget),
};

/** Returns a run of the real fold node over a thread of its own. */
export function foldingRun(budget: number, options: Partial<FoldOptions> = {}): PolicyRun {
  const node = foldNode({
    files: VirtualFilesystem.inMemory(),
    contextWindow: budget,
    // Budgets are in tokens of four characters, and the other systems count no tokens around a call either.
    tokenCounter: charsOverFour,
    limits: { offload: Math.min(20_000, budget * offloadShare) },
    blockTokens: Math.floor(budget * blockShare),
    keep: { tokens: Math.floor(budget * keepShare) },
    ...options,
  });
  const thread = new NodeThread(node);
  return { context: (added) => thread.step(added) };
}
