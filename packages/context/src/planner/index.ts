export * from "./cached-tokens.js";
export { compactionBill, type CompactionBill } from "./compaction-bill.js";
export * from "./last-call-at.js";
export * from "./planner-facts.js";
export { checkPrices, type Prices } from "./prices.js";
export * from "./thread-pace.js";
export * from "./when-to-compact.js";
