// Only for the packages, examples and evals of this repository: these exports change without notice.
export { certify, finder, unescaped, visibleText } from "./certificate/certify.js";
export { callAtoms, mustKeepAtoms, probeOf } from "./certificate/must-keep.js";
export { foldRules } from "./cuts/cut-rules.js";
export { cutAbove, isKeptWhole } from "./cuts/find-cutoff.js";
export { nativeHead } from "./cuts/native-head.js";
export { redactMessage, redactRecord, type MessageRedaction } from "./erasure/redact-message.js";
export {
  archiveFolders,
  archiveKind,
  historyRecord,
  isArchivePath,
  isCertificate,
  isCopyPath,
  isDataUrl,
  isFoldFile,
  isHistoryPath,
  isPrompt,
  isRecord,
  laneFolder,
  laneOfPath,
  type LaneShare,
  standInsPath,
  offloadedPath,
  preparedPath,
  promptPath,
  stepFiles,
  stepOf,
  stepsOfRun,
} from "./folds/archive-paths.js";
export { gainedSince, remember } from "./folds/compare.js";
export { findFold } from "./folds/find-fold.js";
export {
  carriedIds,
  foldKwargs,
  foldsIn,
  hasLostReasoning,
  isOwn,
  isSummary,
  isUserMessage,
  isWholeFold,
  replacesOthers,
  refuseFold,
  sealedText,
  standIn,
  type HeldOriginal,
  type PaceFacts,
  coversOthers,
} from "./folds/fold.js";
export { heldFirst, heldOriginals, isLostStandIn } from "./folds/held.js";
export { holdOriginals, openHeld } from "./folds/hold-originals.js";
export { reconcile, withTombstones } from "./folds/reconcile.js";
export { openSteps } from "./folds/resent/edited-steps.js";
export { hasResent, withoutRepeated, withoutResent } from "./folds/resent/resent.js";
export {
  joinRewrites,
  unchanged,
  withUsage,
  type Certificate,
  type MustKeepAtom,
  type MustKeepKind,
} from "./folds/rewrite.js";
export type { SummaryTokens } from "./folds/summary-tokens.js";
export { foldNamed, openFolds } from "./folds/unfold.js";
export { continueContext, partsOfContext, type ContextPart } from "./folds/kept-context.js";
export { continueView, markView } from "./folds/view.js";
export { historyMarkdown, withoutHeadings } from "./messages/history-markdown.js";
export { earlyEnd, isEmptyAnswer, stopReasons, type EarlyEnd } from "./messages/provider/early-end.js";
export { digest, hasDerivedId } from "./messages/message-id.js";
export { messageLines } from "./messages/message-lines.js";
export {
  isNativeBlock,
  isNativeCompaction,
  isSignedCompaction,
  nativeBlocks,
  nativeStart,
  nativeText,
  nativeUsage,
  readMessages,
  type NativeUsage,
} from "./messages/provider/native-compaction.js";
export { originalMessage, originalMessages } from "./messages/sound/original-message.js";
export { soundMessage } from "./messages/sound/sound-message.js";
export { soundMessages } from "./messages/sound/sound-messages.js";
export { messagesOfRecord, recordText } from "./messages/stored-message.js";
export { newestNote, withNote } from "./messages/note.js";
export { changedFrom, withMark, withoutBreakpoint, type PrefixMark } from "./messages/prefix-marks.js";
export {
  hasBoundReasoning,
  hasReasoning,
  hasReasoningContent,
  isReasoningBlock,
  withoutReasoning,
} from "./messages/provider/reasoning.js";
export { refusedFrom, refusedReasoning } from "./messages/provider/refused-reasoning.js";
export {
  clipText,
  contentBlocks,
  inlineText,
  isMediaBlock,
  messageText,
  sentences,
} from "./messages/text.js";
export { toBase64 } from "./messages/base64.js";
export { fileBlock } from "./messages/media.js";
export { mediaTokens } from "./tokens/media-tokens.js";
export { isAi, isToolResult } from "./messages/tool-calls.js";
export {
  asKeeps,
  asTriggers,
  checkTrigger,
  lowerTrigger,
  requireNotNegative,
  requirePositive,
  scaleTrigger,
  triggerTokens,
  type ContextSize,
} from "./options.js";
export { offloadArrivals } from "./passes/arrivals.js";
export { dropReasoning, staleStart, type DropReasoningOptions } from "./passes/drop-stale-reasoning.js";
export { applyNative, foldCovered } from "./passes/fold-covered.js";
export { foldContent } from "./passes/fold-content.js";
export { headAndTail } from "./passes/head-and-tail.js";
export type { MaskOptions } from "./passes/mask-tool-results.js";
export { offloadContent, preview } from "./passes/offload-large-tool-results.js";
export { overflowParts, type OverflowReason, type OverflowPart } from "./passes/overflow-parts.js";
export { planVerbatim, type VerbatimPlan } from "./passes/plan-verbatim.js";
export {
  promptPrice,
  typicalPrices,
  type CompactionBill,
  type PlannerFacts,
  type SummaryUsage,
} from "./planner/compaction-bill.js";
export { reportedCall, type CallBill, type ReportedCall } from "./planner/reported-call.js";
export { cachedTokens, lastCallAt, threadPace, type ThreadPace } from "./planner/thread-pace.js";
export { goalDrift, type Drift } from "./retention/goal-drift.js";
export { checkMarkers, chooseVerbatim, type MarkerOptions } from "./retention/choose-verbatim.js";
export { pinOf, type PinOptions } from "./retention/pin.js";
export { checkPinFiles, pinnedFiles } from "./retention/pinned-files.js";
export { summaryRecord } from "./summary/apply-summary.js";
export { cleanPatch, cleanText, lineCleaner, type LineCleaner } from "./summary/clean-patch.js";
export { completeSummary, earlierSummary } from "./summary/earlier-summary.js";
export { sumOnce } from "./collect-once.js";
export { once } from "./once.js";
export { answerOf, parseAnswer, summaryAnswerSchema } from "./summary/parse-answer.js";
export {
  boundSummary,
  emptyPatch,
  numberSummary,
  patchSummary,
  type SummaryPatch,
} from "./summary/patch-summary.js";
export { isTaskBoundary } from "./summary/plan-state.js";
export { leadingSystems } from "./summary/plan-summary.js";
export { summaryHeadings, summaryNotice } from "./summary/summary.js";
export { tfIdfScores } from "./retention/importance.js";
export { isDecision } from "./summary/user-constraints.js";
export { estimateTextTokens } from "./tokens/estimate-tokens.js";
export {
  maxCountError,
  measureAtMost,
  type ContextMeasure,
  type MeasureOptions,
} from "./tokens/measure-context.js";
export { promptTokens, usageOf } from "./messages/provider/reported-usage.js";
export { mayExceed } from "./tokens/upper-bound.js";
export { toolSchemaText } from "./tokens/tool-schema-text.js";
