import type { ContextOptions } from "@palimpsest/langgraph";
import { ladderRun } from "./palimpsest-ladder.js";
import type { Policy } from "./policy.js";

/** Prices of the bills, relative to one input token: typical for providers with prompt caching. */
export const billedPrices = { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 };

/** A planner that also folds below the trigger, where that is cheaper. */
export const planner = { prices: billedPrices };

/** The ladder as it is, and a planner that also folds below the trigger. */
export const palimpsestPlanned: Policy = ladderWith("Palimpsest planned", () => ({ planner }));

/** Options for a small bill: offloads results over 1,000 tokens on arrival, keeps the newest 500 tokens. */
export const tightOptions = { planner, limits: { offload: 1_000 }, keep: { tokens: 500 } };

/** The planner with little kept. Without a model, summaries are extracted. */
export const palimpsestTight: Policy = ladderWith("Palimpsest planned, tight", () => tightOptions);

/** Returns the real compaction node with options for a window. */
export function ladderWith(name: string, optionsIn: (window: number) => Partial<ContextOptions>): Policy {
  return { name, start: ({ budget }) => ladderRun(budget, optionsIn(budget)) };
}
