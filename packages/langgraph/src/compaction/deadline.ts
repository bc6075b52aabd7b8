/** A time by which something has to be done, joined with the signal of the run. */
export interface Deadline {
  /** Aborts when the time is up, and when the run is aborted. */
  readonly signal: AbortSignal;
  /** Resolves as `work` does; rejects at the latest when the signal aborts, also where `work` never looks at it. */
  within<Value>(work: Promise<Value>): Promise<Value>;
  /** Resolves after so many milliseconds; rejects when the signal aborts before. */
  pause(milliseconds: number): Promise<void>;
  /** Lets go of timer and listeners. */
  end(): void;
}

/** Returns a deadline so many milliseconds from now. */
export function deadline(milliseconds: number, signal: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => {
    controller.abort(new Error(`No summary within ${milliseconds} ms (summaryTimeoutMs)`));
  }, milliseconds);
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  const aborted = new Promise<never>((_, reject) => {
    const refuse = () => reject(controller.signal.reason as Error);
    if (controller.signal.aborted) refuse();
    controller.signal.addEventListener("abort", refuse, { once: true });
  });
  aborted.catch(() => undefined);
  return {
    // One for each call: a long span is asked about in many, and clients of models do not all let go of the signal.
    get signal() {
      return AbortSignal.any([controller.signal]);
    },
    within: (work) => Promise.race([work, aborted]),
    async pause(time) {
      let waiting: NodeJS.Timeout | undefined;
      const slept = new Promise<void>((resolve) => {
        waiting = setTimeout(resolve, time);
      });
      await Promise.race([slept, aborted]).finally(() => clearTimeout(waiting));
    },
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    },
  };
}
