import { threadsBehind } from "../../collection/thread-range.js";
import type { Engine } from "../../engine.js";
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
  checkpoints(threadId: string): AsyncIterable<CheckpointEntry>;
  prune(threadId: string, options: PruneOptions): Promise<PrunedThread>;
}

/** Deletes threads of the saver. */
type DeleteThreads = (
  threadIds: readonly string[],
  options: { readonly keepArchive: boolean },
) => Promise<void>;

/** What retention works on. */
export interface RetainedStorage {
  readonly saver: RetainedSaver;
  /** Lists the threads. */
  readonly engine: Pick<Engine, "threads" | "threadsIn">;
  readonly deleteThreads: DeleteThreads;
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

/** Idle threads that are deleted together. Few, so that a thread that a run continues after it was looked at is rare. */
const deletedTogether = 32;

/**
 * Applies a policy to the threads of a saver, in the order of the bytes of their ids: one transaction for each that is pruned, and few
 * for those that are deleted. Asks for a page of ids at a time.
 */
export async function retainThreads(
  { saver, engine, deleteThreads }: RetainedStorage,
  options: RetentionOptions,
): Promise<RetainedThreads> {
  checkRetention(options);
  const { maxThreads: most = Infinity, after } = options;
  const idle = new IdleThreads(deleteThreads, options);
  const failed: RetainedThreads["failed"][number][] = [];
  const sum = { visited: 0, checkpoints: 0, blobs: 0, files: 0 };
  let last: string | undefined;
  let next: string | undefined;
  // One more than are visited tells whether any are left.
  for await (const threadId of threadsBehind(engine, { after, atMost: most + 1 })) {
    if (sum.visited === most) {
      next = last;
      break;
    }
    last = threadId;
    sum.visited += 1;
    try {
      const result = await retainThread(saver, threadId, options);
      if (result === "idle") await idle.add(threadId);
      else for (const name of ["checkpoints", "blobs", "files"] as const) sum[name] += result[name];
    } catch (error) {
      failed.push({ threadId, error: error as Error });
    }
  }
  await idle.flush();
  const { deleted } = idle;
  return { ...sum, deleted, failed: [...failed, ...idle.failed], next };
}

/** Deletes idle threads, some at a time. */
class IdleThreads {
  readonly deleted: string[] = [];
  readonly failed: RetainedThreads["failed"][number][] = [];
  readonly #deleteThreads: DeleteThreads;
  readonly #options: RetentionOptions;
  #waiting: string[] = [];

  constructor(deleteThreads: DeleteThreads, options: RetentionOptions) {
    this.#deleteThreads = deleteThreads;
    this.#options = options;
  }

  async add(threadId: string): Promise<void> {
    this.#waiting.push(threadId);
    if (this.#waiting.length >= deletedTogether) await this.flush();
  }

  async flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (this.#options.dryRun === true) return void this.deleted.push(...waiting);
    await this.#delete(waiting).catch(async () => {
      // One by one, so that a thread that cannot be deleted leaves the others.
      for (const threadId of waiting)
        await this.#delete([threadId]).catch(
          (error: unknown) => void this.failed.push({ threadId, error: error as Error }),
        );
    });
  }

  async #delete(threadIds: readonly string[]): Promise<void> {
    await this.#deleteThreads(threadIds, { keepArchive: this.#options.keepArchives ?? false });
    this.deleted.push(...threadIds);
  }
}

/** @throws CheckpointError "bad-option" */
function checkRetention(options: RetentionOptions): void {
  checkNames(options, names);
  const { idleSince, maxThreads = 1 } = options;
  if (prunes(options)) policyOf(options);
  else if (idleSince === undefined)
    throw bad("retain is given nothing to delete", "keepLast, olderThan or idleSince");
  if (idleSince !== undefined) timeOf("idleSince", idleSince);
  if (maxThreads !== Infinity && !(Number.isInteger(maxThreads) && maxThreads >= 1))
    throw bad(`maxThreads is ${maxThreads}`, "a whole number of at least 1");
}

function prunes({ keepLast, olderThan }: RetentionOptions): boolean {
  return keepLast !== undefined || olderThan !== undefined;
}

async function retainThread(
  saver: RetainedSaver,
  threadId: string,
  options: RetentionOptions,
): Promise<PrunedThread | "idle"> {
  const { idleSince } = options;
  if (idleSince !== undefined && (await isIdle(saver, threadId, timeOf("idleSince", idleSince))))
    return "idle";
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
