// For hosts and operators: reads and changes the state of a compiled graph between two runs.
export { contextIn } from "../run/node-state.js";
export { admitFolds, sealFolds, withoutSeal, type SealedFolds } from "../run/sealed-folds.js";
export type { HostRequest } from "../compaction/compaction-facts.js";
export {
  previewCompaction,
  type CompactionPreview,
  type PreviewCompactionOptions,
} from "./preview-compaction.js";
export { explainContext, type ExplainedStep } from "../predictive/explain-context.js";
export { taskSteps, type ReadableThreads, type TaskStepsOptions } from "../predictive/pace/task-steps.js";
export { compactThread, type CompactedThread, type CompactThreadOptions } from "./compact-thread.js";
export { previewThread, type PreviewThreadOptions } from "./preview-thread.js";
export { pastDamage, readThread, type DamagedOriginal, type ReadThreadOptions } from "./read-thread.js";
export type { ThreadConfig, ThreadGraph } from "./thread-graph.js";
export { unfoldThread, type UnfoldedThread, type UnfoldThreadOptions } from "./unfold-thread.js";
