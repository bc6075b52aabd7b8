import { cumulativeSummary } from "../policies/cumulative-summary.js";
import { deepAgentsWith } from "../policies/deep-agents.js";
import { palimpsestFolding } from "../policies/folding.js";
import { fullHistory } from "../policies/full-history.js";
import { langchainWith } from "../policies/langchain-summarization.js";
import { maskResults } from "../policies/mask-results.js";
import { palimpsestLadder } from "../policies/palimpsest-ladder.js";
import { palimpsestPlanned, palimpsestTight, palimpsestTightWith } from "../policies/palimpsest-planned.js";
import type { Policy } from "../policies/policy.js";
import { recency } from "../policies/recency.js";
import { scriptedSummarizer } from "../retention/scripted-summarizer.js";
import { metered, MeteredWriter, SummaryMeter } from "./summary-meter.js";

/** A policy, and the meter of its summary model if it has one. */
export interface BilledPolicy {
  readonly policy: Policy;
  readonly meter?: SummaryMeter;
  /** Shows the same in every window. */
  readonly unbudgeted?: true;
}

/** Returns a policy with a summary model whose calls are counted. */
function written(policyOf: (meter: SummaryMeter) => Policy): BilledPolicy {
  const meter = new SummaryMeter();
  return { policy: policyOf(meter), meter };
}

/** Returns the policies whose bill is computed. */
export function billedPolicies(): readonly BilledPolicy[] {
  return [
    { policy: fullHistory, unbudgeted: true },
    { policy: maskResults(10), unbudgeted: true },
    { policy: recency },
    { policy: cumulativeSummary },
    written((meter) => langchainWith((window) => new MeteredWriter(window, meter))),
    written((meter) => deepAgentsWith((window) => new MeteredWriter(window, meter))),
    { policy: palimpsestLadder },
    { policy: palimpsestPlanned },
    { policy: palimpsestTight },
    written((meter) => palimpsestTightWith(metered(scriptedSummarizer(), meter))),
    { policy: palimpsestFolding },
  ];
}

/** The policies that the requirements apply to. */
export const held: ReadonlySet<string> = new Set([
  palimpsestLadder.name,
  palimpsestPlanned.name,
  palimpsestTight.name,
]);
