export { foldContextTool } from "./folding/fold-context-tool.js";
export { foldNode } from "./folding/fold-node.js";
export type { FoldOptions } from "./folding/fold-options.js";
export { foldPrompt, foldView, type DirectiveForm, type FoldViewOptions } from "./folding/fold-view.js";
export { compactionNode, type GraphNode } from "./nodes/compaction-node.js";
export { maskToolResultsNode } from "./nodes/rung-nodes.js";
export { offloadLargeToolResultNode } from "./nodes/rung-nodes.js";
export { summarizeWithFilesystemPreservationNode } from "./nodes/rung-nodes.js";
export { truncateToolInputsNode } from "./nodes/rung-nodes.js";
export { compactionCondition, type Routes } from "./conditions/compaction-condition.js";
export { safetyNetCondition, type SafetyNetOptions } from "./conditions/compaction-condition.js";
export { overflowErrorHandler, type FailedNode } from "./nodes/overflow-error-handler.js";
export { compressContextTool } from "./tools/compress-context-tool.js";
export { withContextBudget } from "./compaction/budget-lines.js";
export { fileTools } from "./tools/file-tools.js";
export type { FileToolsOptions } from "./tools/file-tool.js";
export { fileToolNames } from "./edge/resolve-options.js";
export { searchHistoryTool, type SearchHistoryToolOptions } from "./tools/search-history-tool.js";
export { unfoldTool, type UnfoldToolOptions } from "./tools/unfold-tool.js";
export { offloadTools, type InvokableTool } from "./tools/offload-tools.js";
export {
  compactionValue,
  contextAnnotation,
  contextInput,
  contextState,
  contextZodShape,
  filesValue,
} from "./edge/context-state.js";
export type { CompactionState } from "./edge/context-state.js";
export type { SummaryModel } from "./compaction/summary-call.js";
export { stopPreparing } from "./compaction/background-jobs.js";
export { summaryPrompt } from "./compaction/summary-prompt.js";
export type {
  CompactionReason,
  ContextEvent,
  FailedRung,
  NextRung,
  PlannedBill,
  SkipCause,
} from "./edge/context-event.js";
export type { BudgetLevel, ContextOptions } from "./edge/context-options.js";
export type { PlannerOptions } from "./edge/context-options.js";
export type { LastCall, PlannerState } from "./edge/context-state.js";
export type { PreparedSpan } from "./edge/context-state.js";
export type { NodeConfig } from "./edge/run-config.js";
export type { NodeState, NodeUpdate } from "./edge/node-state.js";
export {
  previewCompaction,
  type CompactionPreview,
  type PreviewOptions,
} from "./compaction/preview-compaction.js";
export type { HostRequest } from "./compaction/compact-input.js";
export { compactThread, type CompactedThread, type CompactThreadOptions } from "./threads/compact-thread.js";
export { previewThread, type PreviewThreadOptions } from "./threads/preview-thread.js";
export { readThread, type ReadThreadOptions } from "./threads/read-thread.js";
export type { ThreadConfig, ThreadGraph } from "./threads/thread-graph.js";
export { unfoldThread, type UnfoldedThread, type UnfoldThreadOptions } from "./threads/unfold-thread.js";
export { explainContext, type ExplainedStep } from "./predictive/explain-context.js";
export { glimpseTool, type GlimpseToolOptions } from "./predictive/glimpse-tool.js";
export { predictiveContextNode } from "./predictive/predictive-context-node.js";
export type { PredictiveContextOptions } from "./predictive/predictive-options.js";
