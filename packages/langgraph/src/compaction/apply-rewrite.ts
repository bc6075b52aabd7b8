import type { Rewrite } from "@palimpsest/context";
import type { CompactionReason } from "../context-event.js";
import type { ResolvedOptions } from "../resolve-options.js";
import { commit } from "./commit.js";
import type { Reporter } from "./reporter.js";

export interface ApplyRewriteOptions {
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
  return true;
}
