import { newestThatFit } from "../carry/newest-that-fit.js";
import type { Summary } from "../summary.js";

/** Characters for a token of the whole that a section may have. */
const shares = {
  intent: 1,
  findings: 4,
  decisions: 1.5,
  openQuestions: 1,
  done: 1,
  inProgress: 0.75,
  nextSteps: 2,
  sideEffects: 1.5,
} as const;

/**
 * Returns a summary whose sections stay within a size, however many summaries it goes on from: the newest entries stay.
 *
 * Pure. What falls out is in the file of the earlier summary, which the index names. `tokens` is the size of one
 * summary; constraints, files and index have limits of their own.
 */
export function boundSummary(summary: Summary, tokens: number): Summary {
  const bounded = Object.entries(shares).map(([section, share]) => [
    section,
    newestThatFit(summary[section as keyof typeof shares], tokens * share),
  ]);
  return { ...summary, ...Object.fromEntries(bounded) };
}
