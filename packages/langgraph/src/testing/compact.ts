import { ladder, type LadderOptions } from "../compaction/compact.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { runStep, type StepOutcome } from "../run/run-step.js";
import type { StepInput } from "../run/step.js";

/** Runs the ladder in one step of a thread. */
export async function compact(
  { request, only, ...input }: StepInput & LadderOptions,
  options: ResolvedOptions,
): Promise<StepOutcome> {
  return runStep(input, options, ladder({ request, ...(only === undefined ? {} : { only }) }));
}
