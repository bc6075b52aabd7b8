export { compactionCondition, safetyNetCondition } from "./conditions/compaction-condition.js";
export { overflowCondition } from "./conditions/overflow-condition.js";
export type { ContextEvent } from "./context-event.js";
export type { ContextOptions } from "./options/context-options.js";
export type { ContextLimits } from "./options/context-limits.js";
export {
  compactionValue,
  contextAnnotation,
  contextInput,
  contextInputFor,
  contextState,
  contextZodShape,
  filesValue,
  type CompactionState,
} from "./run/context-state.js";
export { foldContextTool } from "./folding/fold-context-tool.js";
export { foldNode } from "./folding/fold-node.js";
export type { FoldOptions } from "./folding/fold-options.js";
export { foldPrompt, foldView } from "./folding/fold-view.js";
export { handOver, laneOf } from "./lanes/lane-use.js";
export { consolidateNode } from "./memory/consolidate-node.js";
export { EpisodeStore } from "./memory/episode-store.js";
export { ScopeMemory } from "./memory/scope-memory.js";
export { compactionNode } from "./nodes/compaction-node.js";
export type { GraphNode } from "./nodes/step-node.js";
export { overflowErrorHandler } from "./nodes/overflow-error-handler.js";
export {
  maskToolResultsNode,
  offloadLargeToolResultNode,
  summarizeNode,
  summarizeWithFilesystemPreservationNode,
  truncateToolInputsNode,
} from "./nodes/rung-nodes.js";
export { withCompaction } from "./nodes/with-compaction.js";
export { glimpseTool } from "./predictive/glimpse-tool.js";
export { predictiveContextNode } from "./predictive/predictive-context-node.js";
export type { PredictiveContextOptions } from "./predictive/predictive-options.js";
export { logRecord } from "./telemetry/log-record.js";
export { compressContextTool } from "./tools/compress-context-tool.js";
export { fileTools } from "./tools/file-tools.js";
export { contextIn } from "./run/node-state.js";
export type { NodeState, NodeUpdate } from "./run/node-state.js";
export { offloadTools } from "./tools/offload-tools.js";
export { searchHistoryTool } from "./tools/search/search-history-tool.js";
export { unfoldTool } from "./tools/unfold-tool.js";
export { withContextBudget } from "./compaction/budget-lines.js";
export { stopPreparing } from "./compaction/prepared/background-jobs.js";
export { summaryPrompt } from "./summary/summary-prompt.js";
