import type { BaseMessage } from "@langchain/core/messages";
import { isGraphBubbleUp } from "@langchain/langgraph";
import { ContextError, foldOf, type ArchiveWrite, type Rewrite } from "@palimpsest/context";
import { holdOriginals } from "@palimpsest/context/internal";
import { FileError, type Archive } from "@palimpsest/vfs";
import type { ThreadSeal } from "@palimpsest/vfs/internal";
import { setTimeout as pause } from "node:timers/promises";
import { writePausesMs } from "./backoff.js";
import type { CompactionReason } from "./context-event.js";
import type { Reporter } from "./reporter.js";
import { sealFolds } from "./sealed-folds.js";

/** What decides whether an error reaches the host. */
export interface ErrorPolicy {
  /** Signal of the run. */
  readonly signal?: AbortSignal | undefined;
  /** @default "continue" */
  readonly onError?: "continue" | "throw" | undefined;
}

/**
 * Returns true for an error that reaches the host: a graph interrupt, any error of an aborted run, and with
 * `onError: "throw"` every error. All other errors become an event, and the context stays as it was.
 *
 * Every strategy asks this function, so that all of them treat an error alike. Pure.
 */
export function mustThrow(error: unknown, { signal, onError }: ErrorPolicy): boolean {
  const isMistake = ContextError.isInstance(error) && error.code === "bad-option";
  return isMistake || isGraphBubbleUp(error) || signal?.aborted === true || onError === "throw";
}

/**
 * Reports that a token counter has failed, so that tokens are estimated; does nothing without an error.
 *
 * @throws the error where {@link mustThrow} says so.
 */
export function reportCounter(
  error: unknown,
  { report, ...policy }: ErrorPolicy & { readonly report: Reporter },
): void {
  if (error === undefined) return;
  if (mustThrow(error, policy)) throw error;
  report.fail("counter", error, "estimate");
}

/** Appends under way at once. */
const concurrency = 16;

/**
 * Resolves when every write is in the archive: only then may a rewrite that refers to them be applied. This is the one
 * place that appends to the archive.
 *
 * Appends them all at once, and where that fails one by one: a failed write is tried again after each pause of `writePausesMs`.
 * Rejects with the first that still fails. Files already written stay: nothing refers to them, and a retry of the same writes
 * finds them.
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
      // A refusal of the archive itself is final; what comes from the storage below it may pass.
      const isFinal = FileError.isInstance(error) && error.code !== "corrupt";
      if (pauseMs === undefined || isFinal || isGraphBubbleUp(error)) throw error;
      await pause(pauseMs);
    }
  }
}

export interface CommitOptions extends ErrorPolicy {
  readonly archive: Archive;
  readonly report: Reporter;
  readonly seal: ThreadSeal;
  /** The archive has failed in this step already: nothing more is tried, and nothing more reported. @default false */
  readonly isDown?: boolean;
}

/** Returns what the task does; when it fails, sends `context.fail` and returns undefined. */
async function attempt<Result>(
  { report, isDown, ...policy }: CommitOptions,
  task: () => Promise<Result>,
): Promise<Result | undefined> {
  if (isDown === true) return undefined;
  try {
    return await task();
  } catch (error) {
    if (mustThrow(error, policy)) throw error;
    report.fail("archive", error);
    return undefined;
  }
}

/**
 * Returns true when every write is in the archive. When one fails, sends `context.fail` and returns false. The key of the thread
 * is stored first: without it the next process does not know the folds that refer to the files.
 *
 * @throws the error of the write where {@link mustThrow} says so.
 */
export async function commit(writes: readonly ArchiveWrite[], options: CommitOptions): Promise<boolean> {
  const done = await attempt(options, async () => {
    if (writes.length > 0) await options.seal.signer();
    await writeArchive(writes, options.archive);
    return true;
  });
  return done ?? false;
}

/**
 * Returns the rewrite with its new folds sealed when its originals are in the archive, so that it may be applied, and sends
 * its events. Undefined when a write fails.
 *
 * @throws like {@link commit}.
 */
export async function commitRewrite(
  rewrite: Rewrite,
  { reason, ...options }: CommitOptions & { readonly reason: CompactionReason },
): Promise<Rewrite | undefined> {
  const { report } = options;
  const sealed = await storeRewrite(rewrite, options);
  if (sealed === undefined) return undefined;
  const { threadId } = report;
  report.folds(sealed.folds, reason);
  for (const certificate of rewrite.certificates ?? []) {
    report.send({ type: "context.certificate", certificate, reason, threadId });
  }
  for (const { path, id, tokensBefore, tokensAfter } of shortenedUserMessages(sealed)) {
    report.send({ type: "context.clip", messageId: id, path, tokensBefore, tokensAfter, reason, threadId });
  }
  return sealed;
}

/**
 * Returns what {@link commitRewrite} does, without its events. Seals first, which stores the key of the thread.
 *
 * @throws like {@link commit}.
 */
export async function storeRewrite(rewrite: Rewrite, options: CommitOptions): Promise<Rewrite | undefined> {
  return attempt(options, async () => {
    const sealed = await sealFolds(rewrite, options.seal);
    await writeArchive(rewrite.writes, options.archive);
    return { ...rewrite, ...sealed };
  });
}

/** Returns the messages of a rewrite that could not be committed, with its originals in their metadata: kept, not sent. */
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
