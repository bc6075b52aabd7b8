/** Selections between two attempts at most. */
const longest = 64;

/**
 * Spaces out attempts at something that fails, in selections: after the first failure the next selection is left out, and
 * after each further one twice as many and one more, up to 64.
 *
 * Counts selections and not time, so that a replay does the same. It lives in the memory of a thread, which is a cache: a
 * new process tries at once.
 */
export class Backoff {
  #failures = 0;
  #skips = 0;

  /** Called once for each selection that has something to attempt. Returns whether to attempt it now. */
  isDue(): boolean {
    if (this.#skips === 0) return true;
    this.#skips--;
    return false;
  }

  /** Whether the attempt before this one failed. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Returns whether this is the first failure since the last success: the one to say something about. */
  fail(): boolean {
    this.#failures++;
    this.#skips = Math.min(longest, 2 ** this.#failures - 1);
    return this.#failures === 1;
  }

  succeed(): void {
    this.#failures = 0;
    this.#skips = 0;
  }
}
