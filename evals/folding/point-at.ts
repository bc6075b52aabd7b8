import type { FoldPoint } from "./fold-thread.js";
import type { FoldedRun } from "./measure-runs.js";

/** Returns the context of a run at a step, or undefined where the run is shorter. */
export function pointAt({ points }: FoldedRun, step: number): FoldPoint | undefined {
  return points.find((point) => point.step === step);
}
