export * from "./thread-pace.js";
export { compactionBill, type CompactionBill } from "./compaction-bill.js";
export * from "./thread-pace.js";
export * from "./compaction-bill.js";
export { checkPrices, type Prices } from "./compaction-bill.js";
export * from "./thread-pace.js";
export * from "./when-to-compact.js";
