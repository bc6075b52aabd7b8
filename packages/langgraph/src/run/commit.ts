import type { BaseMessage } from "@langchain/core/messages";
import { isGraphBubbleUp } from "@langchain/langgraph";
import { foldOf, type ArchiveWrite, type Rewrite } from "@palimpsest/context";
import { holdOriginals } from "@palimpsest/context/internal";
import { FileError, type Archive } from "@palimpsest/vfs";
import type { ThreadSeal } from "@palimpsest/vfs/internal";
import { setTimeout as pause } from "node:timers/promises";
import type { CompactionReason } from "../context-event.js";
import { namespaceOf } from "../lanes/lane-use.js";
import { standInFiles, type LaneRun } from "../lanes/stand-in-files.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import type { NodeConfig } from "../run-config.js";
import { reportFailure, type ErrorPolicy } from "./error-policy.js";
import type { Reporter } from "./reporter.js";
import { sealFolds } from "./sealed-folds.js";

/** Milliseconds before each retry of a failed write. */
const writePausesMs: readonly number[] = [10, 40];

/** Maximum number of concurrent appends. */
const concurrency = 16;

/**
 * Resolves when every write is in the archive: only then may a rewrite that refers to them be applied. Nothing else appends to
 * the archive.
 *
 * Appends all writes as one batch. If that fails, appends them one by one, and retries a failed write after each pause of
 * `writePausesMs`. Rejects with the first error that remains. Files already written stay: nothing refers to them, and a retry
 * of the same writes finds them.
 */
export async function writeArchive(
  writes: readonly ArchiveWrite[],
  archive: Archive,
  pauses: readonly number[] = writePausesMs,
): Promise<void> {
  const unique = [...new Map(writes.map((write) => [write.path, write])).values()];
  if (unique.length > 1 && (await appendAll(unique, archive))) return;
  for (let at = 0; at < unique.length; at += concurrency) {
    const batch = unique.slice(at, at + concurrency);
    await Promise.all(batch.map(async (write) => append(write, archive, pauses)));
  }
}

async function appendAll(writes: readonly ArchiveWrite[], archive: Archive): Promise<boolean> {
  try {
    await archive.appendAll(writes);
    return true;
  } catch (error) {
    if (isGraphBubbleUp(error)) throw error;
    return false;
  }
}

async function append(
  { path, content }: ArchiveWrite,
  archive: Archive,
  pauses: readonly number[],
): Promise<void> {
  for (const pauseMs of [...pauses, undefined]) {
    try {
      await archive.append(path, content);
      return;
    } catch (error) {
      // A refusal of the archive itself is final; an error of its storage may be temporary.
      const isFinal = FileError.isInstance(error) && error.code !== "corrupt";
      if (pauseMs === undefined || isFinal || isGraphBubbleUp(error)) throw error;
      await pause(pauseMs);
    }
  }
}

/** The run of an agent with a lane. */
export interface CommitRun extends LaneRun {
  /** Stores what the lane shares, where that is new. */
  readonly declare: () => Promise<void>;
}

interface OwnerOfLane {
  readonly files: ResolvedOptions["files"];
  readonly threadId: string;
  readonly config: NodeConfig | undefined;
}

/** Returns the run of an agent with a lane. */
export function laneRunOf(
  lane: LaneRun["lane"],
  { files, threadId: thread, config }: OwnerOfLane,
): CommitRun {
  const declare = async () => files.lanes(thread).declare(lane);
  return { lane, thread, namespace: namespaceOf(config), declare };
}

export interface CommitOptions extends ErrorPolicy {
  readonly archive: Archive;
  readonly report: Reporter;
  readonly seal: ThreadSeal;
  /** The agent's lane, and the run that folds into it. @default the agent has none */
  readonly laneRun?: CommitRun | undefined;
  /** The archive has already failed in this step: nothing more is tried or reported. @default false */
  readonly isDown?: boolean;
}

/** Returns the result of the task; if it fails, sends `context.fail` and returns undefined. */
async function attempt<Result>(
  options: CommitOptions,
  task: () => Promise<Result>,
): Promise<Result | undefined> {
  if (options.isDown === true) return undefined;
  try {
    return await task();
  } catch (error) {
    reportFailure(error, options, { rung: "archive" });
    return undefined;
  }
}

/**
 * Returns true if every write is in the archive. If one fails, sends `context.fail` and returns false. Stores the key of the
 * thread first: without it, another process does not accept the folds that refer to the files.
 *
 * @throws the error of the write where {@link mustThrow} says so.
 */
export async function commit(writes: readonly ArchiveWrite[], options: CommitOptions): Promise<boolean> {
  const done = await attempt(options, async () => {
    if (writes.length > 0) await options.seal.signer();
    if (writes.length > 0) await options.laneRun?.declare();
    await writeArchive(writes, options.archive);
    return true;
  });
  return done ?? false;
}

interface CommitRewriteOptions extends CommitOptions {
  /** Reports shortened messages of the user. @default true */
  readonly clips?: boolean;
}

/**
 * Archives the originals of a rewrite, sends its events, and returns it with its new folds sealed, so that it may be applied.
 * Undefined if a write fails.
 *
 * @throws like {@link commit}.
 */
export async function commitRewrite(
  rewrite: Rewrite,
  reason: CompactionReason,
  options: CommitRewriteOptions,
): Promise<Rewrite | undefined> {
  const { report, clips = true, laneRun } = options;
  const sealed = await attempt(options, async () => {
    // Sealing stores the key of the thread: without it, another process does not accept the folds.
    const folds = await sealFolds(rewrite, options.seal);
    const shared = laneRun === undefined ? [] : standInFiles({ ...rewrite, ...folds }, laneRun);
    if (rewrite.writes.length > 0) await laneRun?.declare();
    await writeArchive([...rewrite.writes, ...shared], options.archive);
    return { ...rewrite, ...folds };
  });
  if (sealed === undefined) return undefined;
  const { threadId } = report;
  report.folds(sealed.folds, reason);
  for (const certificate of rewrite.certificates ?? []) {
    report.send({ type: "context.certificate", certificate, reason, threadId });
  }
  for (const { path, id, tokensBefore, tokensAfter } of clips ? shortenedUserMessages(sealed) : []) {
    report.send({ type: "context.clip", messageId: id, path, tokensBefore, tokensAfter, reason, threadId });
  }
  return sealed;
}

/**
 * Returns the messages of a rewrite that could not be committed, with the originals in their metadata, which no provider
 * receives.
 */
export async function holdRewrite(
  rewrite: Rewrite,
  { seal }: Pick<CommitOptions, "seal">,
): Promise<readonly BaseMessage[]> {
  const { messages } = await sealFolds({ messages: holdOriginals(rewrite), folds: [] }, seal);
  return messages;
}

/** Returns the folds of user messages that were too large to be sent whole, each with the id of its message. */
function shortenedUserMessages({ messages, folds }: Rewrite) {
  const applied = new Set(folds);
  return messages.flatMap((message) => {
    const fold = message.getType() === "human" ? foldOf(message) : undefined;
    return fold?.kind === "offload" && applied.has(fold) ? [{ ...fold, id: message.id }] : [];
  });
}
