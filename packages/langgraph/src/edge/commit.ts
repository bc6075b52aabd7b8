import { foldOf, type Rewrite } from "@palimpsest/context";
import type { ThreadFiles } from "@palimpsest/vfs";
import type { CompactionReason } from "./context-event.js";
import type { Reporter } from "./reporter.js";
import type { ResolvedOptions } from "./resolve-options.js";

interface ApplyRewriteOptions {
  readonly options: ResolvedOptions;
  readonly report: Reporter;
  readonly reason: CompactionReason;
}

/** Returns whether the originals are in the archive, so that the rewrite may be used. Sends the events of either. */
export async function applyRewrite(
  rewrite: Rewrite,
  { options, report, reason }: ApplyRewriteOptions,
): Promise<boolean> {
  try {
    await commit(rewrite, options.files.thread(report.threadId));
  } catch (error) {
    if (options.onError === "throw") throw error;
    report.fail("archive", error);
    return false;
  }
  report.folds(rewrite.folds, reason);
  const { threadId } = report;
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
  const made = new Set(folds);
  return messages.flatMap((message) => {
    const fold = message.getType() === "human" ? foldOf(message) : undefined;
    return fold?.kind === "offload" && made.has(fold) ? [{ ...fold, id: message.id }] : [];
  });
}

/** Writes that are under way at once. */
const parallel = 16;

/**
 * Resolves when every original that a rewrite needs is in the archive: only then may the rewrite be applied.
 *
 * Rejects with the first failed write. Files already written stay: a file nobody points to is no loss, and the
 * same rewrite tried again finds them there.
 */
export async function commit(rewrite: Rewrite, { archive }: ThreadFiles): Promise<void> {
  const unique = [...new Map(rewrite.writes.map((write) => [write.path, write])).values()];
  for (let at = 0; at < unique.length; at += parallel) {
    const batch = unique.slice(at, at + parallel);
    await Promise.all(batch.map(({ path, content }) => archive.append(path, content)));
  }
}
