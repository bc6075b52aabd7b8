export { startInspector, type Inspector, type InspectorOptions } from "./server/start-inspector.js";
export { buildReport, type BuildReportOptions } from "./report/build-report.js";
export { parts, type ModelUsage, type StepRow } from "./view.js";
export type { ReportData, ReportStep } from "./shared/report-data.js";
export { newestStep, type NewestStep } from "./reading/timeline/newest-step.js";
export { reportHtml } from "./report/report-html.js";
export { InspectorError } from "./inspector-error.js";
export {
  mainNamespace,
  readState,
  stepsOf,
  unfoldState,
  type OnDamagedOriginal,
  type SubgraphRun,
  type ThreadOrRun,
  type ThreadState,
} from "./reading/read-state.js";
export { findFolds, type FoundFold } from "./reading/find-folds.js";
export { MessageSearch, type FoundMessage } from "./reading/find-messages.js";
export { wordsOf } from "./shared/text-search.js";
export { damageOf } from "./reading/damage-of.js";
export { compareStates } from "./reading/compare-states.js";
export { addUsage } from "./reading/add-usage.js";
export { listArchives, listThreads, sizeOfThread } from "./reading/list-threads.js";
export { countedBill, type CountedBill } from "./shared/cost/predicted-bill.js";
export { foldingCost, priceOfFolding, type FoldingCost, type PricesOf } from "./shared/cost/folding-cost.js";
export { costOf } from "./shared/cost/cost-of.js";
export { listedPrices, pricesAsOf } from "./shared/cost/listed-prices.js";
export type { Savings } from "./shared/cost/savings.js";
export { whyText, type Phrase } from "./shared/why-text.js";
export type { WhyView } from "./shared/why-view.js";
export { isRegretted, reworkByKind, type ReworkView } from "./shared/rework-view.js";
export { ThreadReader } from "./reading/thread-reader.js";
export { readRows } from "./reading/timeline/read-rows.js";
