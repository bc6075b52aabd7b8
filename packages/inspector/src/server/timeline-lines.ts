import { setTimeout as wait } from "node:timers/promises";
import type { ThreadReader } from "../reading/thread-reader.js";
import type { TimelineLine } from "../view.js";

/** Milliseconds between two looks for new checkpoints. */
const interval = 1_000;
/** Milliseconds between two parts of a thread that is being read. A page shows nothing until the first part arrives. */
const [firstPause, pause] = [5, 50];

export interface TimelineOptions {
  /** Tokens of the window, unless the thread records them. */
  readonly window: number | undefined;
  readonly isNewest: boolean;
  readonly signal: AbortSignal;
}

/**
 * Yields the rows of a branch, the newest first, and then those that are added, until the signal aborts. Those of the newest
 * branch end when another one is the newest.
 */
export async function* timelineLines(
  reader: ThreadReader,
  { window, isNewest, signal }: TimelineOptions,
): AsyncGenerator<TimelineLine> {
  const { history } = reader;
  let first = 0;
  const state = { isLoading: true };
  const loading = reader.load().finally(() => (state.isLoading = false));
  // Awaited below. Until then a rejection must not count as unhandled.
  loading.catch(() => undefined);
  while (state.isLoading && !signal.aborted) {
    await Promise.race([loading, wait(first === 0 ? firstPause : pause)]);
    const rows = history.rows.slice(0, history.rows.length - first);
    first = history.rows.length;
    if (rows.length > 0) yield { type: "earlier", rows };
  }
  yield { type: "whole", window: window ?? history.window ?? null };
  let sent = history.rows.length;
  while (!signal.aborted) {
    await wait(interval, undefined, { signal }).catch(() => undefined);
    await reader.readOn();
    const rows = history.rows.slice(sent);
    sent += rows.length;
    if (rows.length > 0) yield { type: "later", rows };
    if (isNewest && history.isLeft) {
      yield { type: "moved" };
      return;
    }
  }
}
