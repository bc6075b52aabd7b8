import { checkPrices, requireNotNegative, requirePositive } from "@palimpsest/context";
import type { PlannerOptions } from "../planner-options.js";

/** Refuses a planner that cannot reckon. @throws ContextError `bad-option`, naming the value and the way out. */
export function checkPlanner({
  prices,
  summaryPrices,
  cacheSeconds,
  rereadTokens,
  remainingSteps,
}: PlannerOptions): void {
  checkPrices("planner.prices", prices);
  if (summaryPrices !== undefined) checkPrices("planner.summaryPrices", summaryPrices);
  if (cacheSeconds !== undefined) requirePositive("planner.cacheSeconds", cacheSeconds);
  if (rereadTokens !== undefined) requireNotNegative("planner.rereadTokens", rereadTokens);
  if (typeof remainingSteps === "number") requireNotNegative("planner.remainingSteps", remainingSteps);
}
