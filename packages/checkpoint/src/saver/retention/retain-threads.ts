import type { CheckpointEntry } from "../checkpoint-entries.js";
import { checkNames } from "../check-arguments.js";
import { policyOf, timeOf, type PrunedThread, type PruneOptions } from "./prune-options.js";
import { CheckpointError } from "../../checkpoint-error.js";

/** What to keep of all threads. */
export interface RetentionOptions extends PruneOptions {
  /** Deletes threads without a checkpoint from this time on. @default no thread is deleted */
  readonly idleSince?: Date;
  /** Keeps the archives of deleted threads, and their entries in the index. @default false */
  readonly keepArchives?: boolean;
  /** Threads to visit in this call, at least 1. @default all */
  readonly maxThreads?: number;
  /** `next` of the call before: visits the threads behind it. @default from the first */
  readonly after?: string;
}

/** What a call of `retain` has done, or with `dryRun` would do. */
export interface RetainedThreads extends PrunedThread {
  /** Threads that were visited. */
  readonly visited: number;
  /** Ids of the threads that were deleted. Their checkpoints are not among those counted. */
  readonly deleted: readonly string[];
  /** Threads that could not be read, which stay as they are. */
  readonly failed: readonly { readonly threadId: string; readonly error: Error }[];
  /** Pass it as `after` to go on; undefined when every thread was visited. */
  readonly next: string | undefined;
}

/** The parts of a saver that retention uses. */
export interface RetainedSaver {
  threads(): Promise<readonly string[]>;
  checkpoints(threadId: string): AsyncIterable<CheckpointEntry>;
  prune(threadId: string, options: PruneOptions): Promise<PrunedThread>;
  deleteThread(threadId: string, options: { readonly keepArchive: boolean }): Promise<void>;
}

const names = [
  "keepLast",
  "olderThan",
  "keepTagged",
  "dryRun",
  "idleSince",
  "keepArchives",
  "maxThreads",
  "after",
];

/** Applies a policy to the threads of a saver, in the order of their ids, one transaction for each that it changes. */
export async function retainThreads(
  saver: RetainedSaver,
  options: RetentionOptions,
): Promise<RetainedThreads> {
  checkRetention(options);
  const { maxThreads = Infinity, after } = options;
  const left = (await saver.threads()).filter((id) => after === undefined || id > after).toSorted();
  const visited = left.slice(0, maxThreads);
  const deleted: string[] = [];
  const failed: RetainedThreads["failed"][number][] = [];
  const sum = { checkpoints: 0, blobs: 0, files: 0 };
  for (const threadId of visited) {
    try {
      const result = await retainThread(saver, threadId, options);
      if (result === "deleted") deleted.push(threadId);
      else for (const name of ["checkpoints", "blobs", "files"] as const) sum[name] += result[name];
    } catch (error) {
      failed.push({ threadId, error: error as Error });
    }
  }
  const next = visited.length < left.length ? visited.at(-1) : undefined;
  return { visited: visited.length, ...sum, deleted, failed, next };
}

/** @throws CheckpointError "bad-option" */
function checkRetention(options: RetentionOptions): void {
  checkNames(options, names);
  const { idleSince, maxThreads = 1 } = options;
  if (prunes(options)) policyOf(options);
  else if (idleSince === undefined)
    throw bad("retain is given nothing to delete", "keepLast, olderThan or idleSince");
  if (idleSince !== undefined) timeOf("idleSince", idleSince);
  if (!(maxThreads >= 1)) throw bad(`maxThreads is ${maxThreads}`, "a whole number of at least 1");
}

function prunes({ keepLast, olderThan }: RetentionOptions): boolean {
  return keepLast !== undefined || olderThan !== undefined;
}

async function retainThread(
  saver: RetainedSaver,
  threadId: string,
  options: RetentionOptions,
): Promise<PrunedThread | "deleted"> {
  const { idleSince, keepArchives = false, dryRun = false } = options;
  if (idleSince !== undefined && (await isIdle(saver, threadId, timeOf("idleSince", idleSince)))) {
    if (!dryRun) await saver.deleteThread(threadId, { keepArchive: keepArchives });
    return "deleted";
  }
  return prunes(options) ? pruned(saver, threadId, options) : { checkpoints: 0, blobs: 0, files: 0 };
}

/** Looks before it prunes: a pruned thread that nobody has used since costs no write. */
async function pruned(
  saver: RetainedSaver,
  threadId: string,
  { keepLast, olderThan, keepTagged, dryRun = false }: RetentionOptions,
): Promise<PrunedThread> {
  const options = {
    ...(keepLast === undefined ? {} : { keepLast }),
    ...(olderThan === undefined ? {} : { olderThan }),
    ...(keepTagged === undefined ? {} : { keepTagged }),
  };
  const planned = await saver.prune(threadId, { ...options, dryRun: true });
  return dryRun || planned.checkpoints === 0 ? planned : saver.prune(threadId, options);
}

/** True if the thread has checkpoints, and none from `time` on. */
async function isIdle(saver: RetainedSaver, threadId: string, time: string): Promise<boolean> {
  let checkpoints = 0;
  for await (const { createdAt } of saver.checkpoints(threadId)) {
    if (createdAt === "" || createdAt >= time) return false;
    checkpoints += 1;
  }
  return checkpoints > 0;
}

function bad(what: string, way: string): CheckpointError {
  return new CheckpointError("bad-option", `${what}: pass ${way}.`);
}
