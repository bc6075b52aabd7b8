import { cumulativeSummary } from "./cumulative-summary.js";
import { deepAgents } from "./deep-agents.js";
import { palimpsestFolding } from "./folding.js";
import { fullHistory, lastSteps, maskResults } from "./unbudgeted.js";
import { langchainSummarization } from "./langchain-summarization.js";
import { oracle } from "./oracle.js";
import { palimpsestLadder } from "./palimpsest-ladder.js";
import { pace } from "./pace.js";
import type { Policy } from "./policy.js";
import { predictiveNode } from "./predictive-node.js";
import { bm25, cosine, halfRecencyHalfBm25 } from "./query-policies.js";
import { randomRetention, recency } from "./recency.js";
import { reuse } from "./reuse.js";

/** Policies without a budget: their context grows with the run. */
export const unbudgetedPolicies: readonly Policy[] = [
  fullHistory,
  maskResults(0),
  maskResults(10),
  lastSteps(10),
];

/** Choices of whole chunks at exactly the budget, between the control and the ceiling. */
export const selectionPolicies: readonly Policy[] = [
  recency,
  randomRetention,
  bm25,
  cosine,
  halfRecencyHalfBm25,
  oracle,
];

/** Selected contexts: blocks of lines within the budget, the node that has them, and PACE, which has no hard budget. */
export const predictedPolicies: readonly Policy[] = [reuse(), predictiveNode(), pace()];

/** Systems that compact at 0.85 of the budget, so that on average they use less of it. */
export const compactionPolicies: readonly Policy[] = [
  cumulativeSummary,
  langchainSummarization,
  deepAgents,
  palimpsestLadder,
  palimpsestFolding,
];
