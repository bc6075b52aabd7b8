import type { VirtualFilesystem } from "@palimpsest/vfs";
import type { WrittenSummary } from "../../summary/write-summary.js";

/** Names a summary that is being written. `files` separates tenants that use the same thread id. */
interface Job {
  readonly files: VirtualFilesystem;
  readonly threadId: string;
  readonly digest: string;
}

interface Running {
  readonly threadId: string;
  readonly controller: AbortController;
  /** Resolves when the work has ended; never rejects. */
  readonly ended: Promise<WrittenSummary | undefined>;
}

/** Maximum number of concurrent summaries of one filesystem. */
const maxRunning = 32;

/** Holds only running work. Results are in the archive, where every process finds them. */
const running = new WeakMap<VirtualFilesystem, Map<string, Running>>();

/** Starts the work unless it is running. Returns false if the limit is reached. The signal aborts the work. */
export function runJob(
  { files, threadId, digest }: Job,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<WrittenSummary | undefined>,
): boolean {
  const jobs = running.get(files) ?? new Map<string, Running>();
  running.set(files, jobs);
  const key = keyOf(threadId, digest);
  if (jobs.has(key)) return true;
  if (jobs.size >= maxRunning) return false;
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  const ended = work(controller.signal)
    // The failure was reported where it happened.
    .catch(() => undefined)
    .finally(() => {
      signal?.removeEventListener("abort", stop);
      jobs.delete(key);
    });
  jobs.set(key, { threadId, controller, ended });
  return true;
}

/** Resolves with the result of running work; undefined if none is running or it failed. */
export async function jobEnd({ files, threadId, digest }: Job): Promise<WrittenSummary | undefined> {
  return running.get(files)?.get(keyOf(threadId, digest))?.ended;
}

/**
 * Aborts the summaries that are being prepared for a thread, and resolves when all of them have ended.
 *
 * Neither a node nor a middleware learns that a run is over: call it after the run, or let the summary finish within
 * `summaryTimeoutMs`, for the next run.
 */
export async function stopPreparing(files: VirtualFilesystem, threadId: string): Promise<void> {
  const own = [...(running.get(files)?.values() ?? [])].filter((job) => job.threadId === threadId);
  for (const { controller } of own) controller.abort(new Error("The run is over"));
  await Promise.all(own.map(({ ended }) => ended));
}

function keyOf(threadId: string, digest: string): string {
  return `${digest} ${threadId}`;
}
