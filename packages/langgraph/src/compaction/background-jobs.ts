import type { VirtualFilesystem } from "@palimpsest/vfs";
import type { WrittenSummary } from "../summary/write-summary.js";

/** Whose summary is being written: the work of two tenants with the same thread id is not the same. */
interface Job {
  readonly files: VirtualFilesystem;
  readonly threadId: string;
  readonly digest: string;
}

interface Running {
  readonly threadId: string;
  readonly controller: AbortController;
  /** Resolves when the work has ended, whichever way; never rejects. */
  readonly ended: Promise<WrittenSummary | undefined>;
}

/** Summaries that may be under way at once over one filesystem; what is over it is not begun. */
const mostRunning = 32;

/**
 * Work under way, and nothing else: what has ended is in the archive or nowhere, so a process that knows none of this
 * goes on from the same state.
 */
const running = new WeakMap<VirtualFilesystem, Map<string, Running>>();

/** Returns whether the work was begun: not where it is under way already, or too much is. It ends with the signal. */
export function runJob(
  { files, threadId, digest }: Job,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<WrittenSummary | undefined>,
): boolean {
  const jobs = running.get(files) ?? new Map<string, Running>();
  running.set(files, jobs);
  const key = keyOf(threadId, digest);
  if (jobs.has(key)) return true;
  if (jobs.size >= mostRunning) return false;
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  const ended = work(controller.signal)
    // The model's failure was reported where it happened; an aborted run wants no news.
    .catch(() => undefined)
    .finally(() => {
      signal?.removeEventListener("abort", stop);
      jobs.delete(key);
    });
  jobs.set(key, { threadId, controller, ended });
  return true;
}

/** Resolves with what the work came to, at once where none is under way; undefined where it failed. */
export async function jobEnd({ files, threadId, digest }: Job): Promise<WrittenSummary | undefined> {
  return running.get(files)?.get(keyOf(threadId, digest))?.ended;
}

/**
 * Ends the summaries that are being written ahead for a thread, and resolves when none of them is.
 *
 * The middleware does it when the agent has answered. A graph of your own does not tell its nodes that a run is over:
 * call it there, or let the summary be written: it takes `summaryTimeoutMs` at most, and the next run finds it.
 */
export async function stopPreparing(files: VirtualFilesystem, threadId: string): Promise<void> {
  const own = [...(running.get(files)?.values() ?? [])].filter((job) => job.threadId === threadId);
  for (const { controller } of own) controller.abort(new Error("The run is over"));
  await Promise.all(own.map(({ ended }) => ended));
}

function keyOf(threadId: string, digest: string): string {
  return `${digest} ${threadId}`;
}
