import type { ContextOptions } from "@palimpsest/langgraph";
import { ladderRun } from "./palimpsest-ladder.js";
import type { Policy } from "./policy.js";

/** Prices of the bills, relative to one input token: typical for providers with prompt caching. */
export const billedPrices = { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 };

const planner = { prices: billedPrices };

/** The ladder as it is, and a planner that also folds below the trigger. */
export const palimpsestPlanned: Policy = {
  name: "Palimpsest planned",
  start: ({ budget }) => ladderRun(budget, { planner }),
};

/** Options for a small bill: offloads results over 1,000 tokens on arrival, keeps the newest 500 tokens. */
export const tightOptions = { planner, offloadTokens: 1_000, keep: { tokens: 500 } };

/** The planner with little kept: our lowest bill. */
export const palimpsestTight: Policy = {
  name: "Palimpsest planned, tight",
  start: ({ budget }) => ladderRun(budget, tightOptions),
};

/** Returns the same with summaries that a model writes. */
export function palimpsestTightWith(model: NonNullable<ContextOptions["model"]>): Policy {
  return {
    name: "Palimpsest planned, tight, model",
    start: ({ budget }) => ladderRun(budget, { ...tightOptions, model }),
  };
}
