/** Most selections that are skipped. */
const maxSkips = 64;

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
    this.#skips = Math.min(maxSkips, 2 ** this.#failures - 1);
    return this.#failures === 1;
  }

  succeed(): void {
    this.#failures = 0;
    this.#skips = 0;
  }
}
