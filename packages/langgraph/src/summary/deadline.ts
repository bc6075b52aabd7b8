/** A time limit, combined with the signal of the run. */
export interface Deadline {
  /** Aborts when the time is up, and when the run is aborted. */
  readonly signal: AbortSignal;
  /** Settles as `work` does, but rejects when the signal aborts, even if `work` ignores the signal. */
  within<Value>(work: Promise<Value>): Promise<Value>;
  /** Removes timer and listeners. */
  end(): void;
}

export interface DeadlineOptions {
  /** The signal of the run. */
  readonly signal: AbortSignal | undefined;
  /** Message of the error after the time limit. */
  readonly late: string;
}

/** Returns a deadline in `milliseconds` from now. */
export function deadline(milliseconds: number, { signal, late }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(new Error(late)), milliseconds);
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  const aborted = new Promise<never>((_, reject) => {
    const refuse = () => reject(controller.signal.reason as Error);
    if (controller.signal.aborted) refuse();
    controller.signal.addEventListener("abort", refuse, { once: true });
  });
  aborted.catch(() => undefined);
  return {
    // Make a new signal for each call: a long span has many calls, and not every client removes its listeners.
    get signal() {
      return AbortSignal.any([controller.signal]);
    },
    within: (work) => Promise.race([work, aborted]),
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    },
  };
}

/** Returns the deadline of a summary. */
export function summaryDeadline(milliseconds: number, signal: AbortSignal | undefined): Deadline {
  return deadline(milliseconds, { signal, late: `No summary within ${milliseconds} ms (limits.summaryMs)` });
}
