import { adkTokenBased } from "./systems/adk-token-based.js";
import { aiPruneMessages } from "./systems/ai-prune-messages.js";
import { baselines } from "./systems/baselines.js";
import { deepAgents } from "./systems/deepagents.js";
import { langchainContextEditing } from "./systems/langchain-context-editing.js";
import { langchainSummarization } from "./systems/langchain-summarization.js";
import { langchainTrimMessages } from "./systems/langchain-trim-messages.js";
import { palimpsestPredictive } from "./systems/palimpsest-predictive.js";
import { palimpsest } from "./systems/palimpsest.js";
import { strandsSlidingWindow } from "./systems/strands-sliding-window.js";
import { strandsSummarizing } from "./systems/strands-summarizing.js";
import type { TableSystem } from "./table-system.js";

/** Every system of the open table. A new one is a file in `systems/` and a line here. */
export const tableSystems: readonly TableSystem[] = [
  palimpsest,
  palimpsestPredictive,
  deepAgents,
  langchainSummarization,
  langchainContextEditing,
  langchainTrimMessages,
  aiPruneMessages,
  strandsSlidingWindow,
  strandsSummarizing,
  adkTokenBased,
  ...baselines,
];
