import type { ContextOptions } from "@palimpsest/langgraph";
import { ladderRun } from "./palimpsest-ladder.js";
import type { Policy } from "./policy.js";

/** Prices by which bills are reckoned, in units of a token of input: what several providers charge for cached prompts. */
export const billedPrices = { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 };

const planner = { prices: billedPrices };

/** The ladder as it is, and a planner that also folds below the trigger. */
export const palimpsestPlanned: Policy = {
  name: "Palimpsest planned",
  start: ({ budget }) => ladderRun(budget, { planner }),
};

/** What is set for a small bill: results over 1,000 tokens are put aside as they arrive, and of the newest 500 tokens are kept. */
export const tightOptions = { planner, offloadTokens: 1_000, keep: { tokens: 500 } };

/** The planner with little kept: as low a bill as we know to make. */
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
