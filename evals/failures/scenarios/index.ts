import type { Scenario } from "../scenario.js";
import { agentInLargerGraph } from "./agent-in-larger-graph.js";
import { liveAndReloaded } from "./live-and-reloaded.js";
import { longThread } from "./long-thread.js";
import { agentDeletesArchive } from "./agent-deletes-archive.js";
import { brokenPrefix } from "./broken-prefix.js";
import { clearedResults } from "./cleared-results.js";
import { errorAsHistory } from "./error-as-history.js";
import { fiftyMegabytes } from "./fifty-megabytes.js";
import { growingState } from "./growing-state.js";
import { historyInDefaultStorage } from "./history-in-default-storage.js";
import { historyRefused } from "./history-refused.js";
import { hostTrims } from "./host-trims.js";
import { largeFileInState } from "./large-file-in-state.js";
import { lateResults } from "./late-results.js";
import { losslessHistory } from "./lossless-history.js";
import { manyLines } from "./many-lines.js";
import { modelFailsAfterSummary } from "./model-fails-after-summary.js";
import { oneLineJson } from "./one-line-json.js";
import { parallelAcrossCut } from "./parallel-across-cut.js";
import { parallelResults, parallelResultsKnown } from "./parallel-results.js";
import { patternsInSummary } from "./patterns-in-summary.js";
import { replacementPatterns } from "./replacement-patterns.js";
import { reusedCallId } from "./reused-call-id.js";
import { secondOverflow } from "./second-overflow.js";
import { sharedStorage } from "./shared-storage.js";
import { storageRefuses } from "./storage-refuses.js";
import { storageThrows } from "./storage-throws.js";
import { summarizerDown } from "./summarizer-down.js";
import { summarizerWindow } from "./summarizer-window.js";
import { summaryCoverage } from "./summary-coverage.js";
import { summaryInStream } from "./summary-in-stream.js";
import { systemInMessages } from "./system-in-messages.js";
import { truncatedIdentity } from "./truncated-identity.js";
import { uncountedImages } from "./uncounted-images.js";
import { uncountedThinking } from "./uncounted-thinking.js";
import { undercounting } from "./undercounting.js";
import { unknownWindow } from "./unknown-window.js";
import { writtenArguments } from "./written-arguments.js";

/** Every scenario, in the order of the report. */
export const scenarios: readonly Scenario[] = [
  historyInDefaultStorage,
  losslessHistory,
  writtenArguments,
  oneLineJson,
  manyLines,
  fiftyMegabytes,
  replacementPatterns,
  reusedCallId,
  sharedStorage,
  storageThrows,
  storageRefuses,
  historyRefused,
  agentDeletesArchive,
  summarizerDown,
  modelFailsAfterSummary,
  summarizerWindow,
  secondOverflow,
  undercounting,
  uncountedThinking,
  parallelResults,
  parallelResultsKnown,
  parallelAcrossCut,
  lateResults,
  hostTrims,
  summaryInStream,
  growingState,
  largeFileInState,
  brokenPrefix,
  truncatedIdentity,
  longThread,
  errorAsHistory,
  systemInMessages,
  summaryCoverage,
  patternsInSummary,
  unknownWindow,
  uncountedImages,
  agentInLargerGraph,
  clearedResults,
  liveAndReloaded,
];
