export * from "./summary/apply-summary.js";
export * from "./folding/index.js";
export * from "./summary/carried-state.js";
export * from "./summary/plan-state.js";
export * from "./certificate/apply-certified.js";
export * from "./folds/rewrite.js";
export * from "./certificate/certify.js";
export * from "./certificate/must-keep.js";
export * from "./certificate/apply-certified.js";
export * from "./options.js";
export * from "./passes/compact-above.js";
export * from "./context-error.js";
export * from "./messages/copy-message.js";
export * from "./cuts/cut-rules.js";
export * from "./cuts/cut-rules.js";
export * from "./options.js";
export { digest } from "./messages/message-id.js";
export * from "./passes/drop-stale-reads.js";
export * from "./passes/drop-stale-reasoning.js";
export * from "./messages/reasoning.js";
export * from "./summary/epistemic-markers.js";
export * from "./tokens/estimate-tokens.js";
export * from "./summary/extract-summary.js";
export * from "./cuts/find-cutoff.js";
export * from "./folds/find-fold.js";
export * from "./folds/fold-content.js";
export * from "./messages/head-and-tail.js";
export * from "./messages/history-markdown.js";
export * from "./folds/fold.js";
export * from "./messages/is-context-overflow.js";
export * from "./options.js";
export { maskToolResults, type MaskOptions } from "./passes/mask-tool-results.js";
export * from "./tokens/measure-context.js";
export * from "./messages/message-id.js";
export * from "./messages/text.js";
export * from "./messages/note.js";
export * from "./passes/offload-large-tool-results.js";
export { offloadLargeUserMessages, type OffloadUserOptions } from "./passes/offload-large-user-messages.js";
export * from "./summary/plan-summary.js";
export * from "./planner/index.js";
export * from "./certificate/choose-excerpts.js";
export * from "./retention/choose-verbatim.js";
export * from "./passes/plan-verbatim.js";
export * from "./retention/importance.js";
export * from "./retention/pin.js";
export { preview, type PreviewOptions } from "./passes/offload-large-tool-results.js";
export * from "./folds/reconcile.js";
export * from "./folds/rewrite.js";
export * from "./messages/stored-message.js";
export * from "./summary/summary.js";
export { summaryRecord, type SummaryRecord } from "./summary/apply-summary.js";
export * from "./summary/patch-summary.js";
export * from "./summary/clean-patch.js";
export * from "./summary/earlier-summary.js";
export * from "./summary/earlier-summary.js";
export * from "./summary/patch-summary.js";
export * from "./summary/parse-answer.js";
export * from "./summary/patch-summary.js";
export * from "./summary/parse-answer.js";
export * from "./summary/apply-summary.js";
export * from "./tokens/token-counter.js";
export * from "./tokens/token-counter.js";
export * from "./messages/tool-calls.js";
export * from "./options.js";
export * from "./passes/trim-to-archive.js";
export * from "./passes/overflow-parts.js";
export * from "./passes/shrink-to-fit.js";
export {
  replaceInputs,
  truncateToolInputs,
  type TruncateInputsOptions,
} from "./passes/truncate-tool-inputs.js";
export * from "./folds/unfold.js";
export * from "./folds/find-fold.js";
export * from "./cuts/find-cutoff.js";
export * from "./summary/user-constraints.js";
export type { Atom } from "./selection/atom-table.js";
export type { Block, IndexedChunk } from "./selection/indexed-chunk.js";
export { linesText } from "./selection/indexed-chunk.js";
export { chatNeighbours, rankUnits } from "./selection/rank-blocks.js";
export { renderExcerpt } from "./selection/render-excerpt.js";
export { ReuseIndex, type AppendOptions, type ReuseIndexOptions } from "./selection/reuse-index.js";
export { reuseWeights, type ReuseWeights } from "./selection/reuse-weights.js";
export { eachAtom, featureNames } from "./selection/score-atoms.js";
export {
  selectContext,
  type ContextSelection,
  type KeptContext,
  type SelectContextOptions,
} from "./selection/select-context.js";
export { selectOnward, type SelectOnwardOptions } from "./selection/select-onward.js";
export { leaveOut } from "./selection/excerpts.js";
export { groupOf, type WholeReason } from "./selection/whole-chunks.js";
export { excerptParts } from "./selection/excerpts.js";
export {
  contextPressure,
  paceDefaults,
  paceLevel,
  paceThresholds,
  raiseThresholds,
  type PaceLevel,
  type PaceThresholds,
  type PressureFacts,
} from "./selection/pace/levels.js";
export {
  fitRepresentations,
  rateSimilarities,
  selectRepresentations,
  type FitRepresentationsOptions,
  type FittedRepresentations,
  type PaceRating,
  type RatedSteps,
  type RepresentationTokens,
  type SelectRepresentationsOptions,
} from "./selection/pace/select-representations.js";
export {
  cosine,
  dotProduct,
  hashVector,
  mergeSimilarities,
  paceQuery,
  relativeWeights,
  softmaxWeights,
  sparseVector,
  unitVector,
  type SparseVector,
  type TextVector,
} from "./selection/pace/weights.js";
export { messageLines, type MessageLine } from "./messages/message-lines.js";
