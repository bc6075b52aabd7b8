import type { SummaryPause } from "./context-state.js";

/** Milliseconds before each retry of a failed archive write within a step. */
export const writePausesMs: readonly number[] = [10, 40];

/** Longest pause, in steps of the agent or in selections. */
const maxPause = 64;

/**
 * Returns the pause after a failure at `step`: 2 steps after the first failure, doubled after each further one, at most 64. The
 * pause is kept in graph state, so that every process waits. Pure.
 *
 * @param pause the pause of the failure before; undefined after a success
 */
export function longerPause(pause: SummaryPause | undefined, step: number): SummaryPause {
  const steps = Math.min(maxPause, Math.max(2, 2 * (pause?.steps ?? 0)));
  return { until: step + steps + 1, steps };
}

/**
 * Exponential backoff in selections: skips one selection after the first failure, then 3, 7, 15 and so on, at most 64.
 *
 * Counts selections, not time, so that a replay makes the same attempts. Lives in the memory of a thread, which is a cache: a
 * new process tries at once.
 */
export class Backoff {
  #failures = 0;
  #skips = 0;

  /** Returns whether to attempt now. Call it once for each selection that has something to attempt. */
  isDue(): boolean {
    if (this.#skips === 0) return true;
    this.#skips--;
    return false;
  }

  /** Returns whether this is the first failure since the last success: the one to report. */
  fail(): boolean {
    this.#failures++;
    this.#skips = Math.min(maxPause, 2 ** this.#failures - 1);
    return this.#failures === 1;
  }

  succeed(): void {
    this.#failures = 0;
    this.#skips = 0;
  }
}
