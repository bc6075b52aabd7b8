import { isGraphBubbleUp } from "@langchain/langgraph";
import { foldOf, type ArchiveWrite, type Rewrite } from "@palimpsest/context";
import type { Archive } from "@palimpsest/vfs";
import type { CompactionReason } from "./context-event.js";
import type { Reporter } from "./reporter.js";

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
  return isGraphBubbleUp(error) || signal?.aborted === true || onError === "throw";
}

/** Appends under way at once. */
const concurrency = 16;

/**
 * Resolves when every write is in the archive: only then may a rewrite that refers to them be applied. This is the one
 * place that appends to the archive.
 *
 * Rejects with the first failed write. Files already written stay: nothing refers to them, and a retry of the same writes
 * finds them.
 */
export async function writeArchive(writes: readonly ArchiveWrite[], archive: Archive): Promise<void> {
  const unique = [...new Map(writes.map((write) => [write.path, write])).values()];
  for (let at = 0; at < unique.length; at += concurrency) {
    const batch = unique.slice(at, at + concurrency);
    await Promise.all(batch.map(({ path, content }) => archive.append(path, content)));
  }
}

export interface CommitOptions extends ErrorPolicy {
  readonly archive: Archive;
  readonly report: Reporter;
}

/**
 * Returns true when every write is in the archive. When one fails, sends `context.fail` and returns false.
 *
 * @throws the error of the write where {@link mustThrow} says so.
 */
export async function commit(
  writes: readonly ArchiveWrite[],
  { archive, report, ...policy }: CommitOptions,
): Promise<boolean> {
  try {
    await writeArchive(writes, archive);
    return true;
  } catch (error) {
    if (mustThrow(error, policy)) throw error;
    report.fail("archive", error);
    return false;
  }
}

/**
 * Returns true when the originals of a rewrite are in the archive, so that it may be applied, and sends its events.
 *
 * @throws like {@link commit}.
 */
export async function commitRewrite(
  rewrite: Rewrite,
  { reason, ...options }: CommitOptions & { readonly reason: CompactionReason },
): Promise<boolean> {
  if (!(await commit(rewrite.writes, options))) return false;
  const { report } = options;
  const { threadId } = report;
  report.folds(rewrite.folds, reason);
  for (const certificate of rewrite.certificates ?? []) {
    report.send({ type: "context.certificate", certificate, reason, threadId });
  }
  for (const { path, id, tokensBefore, tokensAfter } of shortenedUserMessages(rewrite)) {
    report.send({ type: "context.clip", messageId: id, path, tokensBefore, tokensAfter, reason, threadId });
  }
  return true;
}

/** Returns the folds of user messages that were too large to be sent whole, each with the id of its message. */
function shortenedUserMessages({ messages, folds }: Rewrite) {
  const applied = new Set(folds);
  return messages.flatMap((message) => {
    const fold = message.getType() === "human" ? foldOf(message) : undefined;
    return fold?.kind === "offload" && applied.has(fold) ? [{ ...fold, id: message.id }] : [];
  });
}
