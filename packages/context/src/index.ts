export * from "./apply-summary.js";
export * from "./blocks/index.js";
export * from "./carry/carried-state.js";
export * from "./carry/is-task-boundary.js";
export * from "./certificate/apply-certified.js";
export * from "./certificate/certificate.js";
export * from "./certificate/certify.js";
export * from "./certificate/must-keep.js";
export * from "./certificate/trim-certified.js";
export * from "./check-options.js";
export * from "./compact-above.js";
export * from "./context-error.js";
export * from "./copy-message.js";
export * from "./cut-points.js";
export * from "./cut-rules.js";
export * from "./defaults.js";
export { digest } from "./digest.js";
export * from "./drop-stale-reads.js";
export * from "./epistemic-markers.js";
export * from "./estimate-tokens.js";
export * from "./extract-summary.js";
export * from "./find-cutoff.js";
export * from "./find-fold.js";
export * from "./fold-content.js";
export * from "./history-markdown.js";
export * from "./fold.js";
export * from "./is-context-overflow.js";
export * from "./keep.js";
export * from "./mask-tool-results.js";
export * from "./measure-context.js";
export * from "./message-id.js";
export * from "./message-text.js";
export * from "./note.js";
export * from "./offload-large-tool-results.js";
export * from "./offload-large-user-messages.js";
export * from "./plan-summary.js";
export * from "./planner/index.js";
export * from "./retention/choose-excerpts.js";
export * from "./retention/choose-verbatim.js";
export * from "./retention/importance.js";
export * from "./retention/pin.js";
export { preview, type PreviewOptions } from "./preview.js";
export * from "./reconcile.js";
export * from "./rewrite.js";
export * from "./stored-message.js";
export * from "./summary.js";
export { summaryRecord, type SummaryRecord } from "./summary-record.js";
export * from "./summary/bound-summary.js";
export * from "./summary/clean-patch.js";
export * from "./summary/complete-summary.js";
export * from "./summary/earlier-summary.js";
export * from "./summary/number-summary.js";
export * from "./summary/parse-answer.js";
export * from "./summary/patch-summary.js";
export * from "./summary/summary-answer.js";
export * from "./summary/topics.js";
export * from "./token-counter.js";
export * from "./token-counter-from.js";
export * from "./tool-calls.js";
export * from "./trigger.js";
export * from "./trim-to-archive.js";
export * from "./truncate-tool-inputs.js";
export * from "./unfold.js";
export * from "./unfold-named.js";
export * from "./unseen-start.js";
export * from "./user-constraints.js";
export type { Atom } from "./selection/atom-table.js";
export type { Block, IndexedChunk } from "./selection/indexed-chunk.js";
export { chatNeighbours, linesText, rankUnits } from "./selection/rank-blocks.js";
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
export { groupOf, type WholeReason } from "./selection/whole-chunks.js";
export { excerptParts } from "./selection/excerpt-parts.js";
export { assemblePace, type AssembledStep, type PaceChoice } from "./selection/pace/assemble-pace.js";
export { contextPressure, type PressureFacts } from "./selection/pace/context-pressure.js";
export { cosine } from "./selection/pace/cosine.js";
export { hashVector } from "./selection/pace/hash-vector.js";
export type { PaceChunk, PaceLevel } from "./selection/pace/pace-chunk.js";
export { paceDefaults } from "./selection/pace/pace-defaults.js";
export { paceLevel } from "./selection/pace/pace-level.js";
export { paceQuery } from "./selection/pace/pace-query.js";
export { paceThresholds, type PaceThresholds } from "./selection/pace/pace-thresholds.js";
export { relativeWeights } from "./selection/pace/relative-weights.js";
export {
  selectRepresentations,
  type PaceRating,
  type SelectRepresentationsOptions,
} from "./selection/pace/select-representations.js";
export { softmaxWeights } from "./selection/pace/softmax-weights.js";
export { messageLines, type MessageLine } from "./selection/message-lines.js";
