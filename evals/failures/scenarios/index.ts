import type { Scenario } from "../scenario.js";
import { cuts } from "./cuts.js";
import { failingSummaries } from "./failing-summaries.js";
import { growingThreads } from "./growing-threads.js";
import { largeResults } from "./large-results.js";
import { overflows } from "./overflows.js";
import { storedHistory } from "./stored-history.js";

/** Every scenario, in the order of the report. */
export const scenarios: readonly Scenario[] = [
  ...storedHistory,
  ...largeResults,
  ...failingSummaries,
  ...overflows,
  ...cuts,
  ...growingThreads,
];
