import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, isContextOverflow, withIds } from "@palimpsest/context";
import { dropReasoning, refusedFrom, refusedReasoning, unchanged } from "@palimpsest/context/internal";
import { compact } from "../compaction/compact.js";
import { isCompactedAt } from "../compaction/compaction-due.js";
import { runContext, type CompactInput, type CompactOutcome } from "../compaction/compaction-step.js";
import { commitRewrite, mustThrow } from "../run/commit.js";
import { admitFolds } from "../run/sealed-folds.js";
import type { ResolvedOptions } from "../options/resolve-options.js";

/** Why a provider refused a prompt, if a changed context can resolve it. */
export type RefusalCause = "overflow" | "reasoning-refused";

/** Returns why a provider refused a prompt, or undefined for an error that no changed context resolves. */
export function refusalCause(error: unknown): RefusalCause | undefined {
  if (isContextOverflow(error)) return "overflow";
  return refusedReasoning(error) === undefined ? undefined : "reasoning-refused";
}

/** Returns true if the context was changed for this cause after its newest message. */
export function isChangedAt(messages: readonly BaseMessage[], cause: RefusalCause): boolean {
  if (cause === "overflow") return isCompactedAt(messages, "overflow");
  const newest = messages.at(-1)?.id;
  return messages.some((message) => {
    const fold = foldOf(message);
    return fold?.reason === cause && fold.newest === newest;
  });
}

/**
 * Returns the context for another call after an error: compacted after an overflow, or without the refused reasoning and all
 * reasoning after it. Undefined if nothing could be changed.
 */
export async function contextAfterError(
  error: unknown,
  input: CompactInput,
  resolved: ResolvedOptions,
): Promise<CompactOutcome | undefined> {
  const outcome = isContextOverflow(error)
    ? await compact({ ...input, overflow: true }, resolved)
    : await withoutRefused(error, input, resolved);
  return outcome?.messages === input.messages ? undefined : outcome;
}

async function withoutRefused(
  error: unknown,
  input: CompactInput,
  resolved: ResolvedOptions,
): Promise<CompactOutcome | undefined> {
  const refused = refusedReasoning(error);
  const run = runContext(input, resolved);
  if (refused === undefined || run === undefined) return undefined;
  const reason = "reasoning-refused";
  try {
    const before = withIds(await admitFolds(input.messages, run.seal));
    const from = refusedFrom(before, refused);
    const rewrite = dropReasoning(unchanged(before), {
      isStale: (_, index) => index >= from,
      newest: before.at(-1)?.id,
      tokenCounter: run.options.tokenCounter,
      reason,
    });
    const changed = rewrite.messages.filter((message, index) => message !== before[index]);
    const committed = changed.length === 0 ? undefined : await commitRewrite(rewrite, { ...run, reason });
    if (committed === undefined) return undefined;
    const { report } = run;
    report.send({
      type: "context.retry",
      because: reason,
      message: refused.text,
      messages: changed.map(({ id }) => id ?? ""),
      threadId: report.threadId,
    });
    return { messages: committed.messages };
  } catch (failure) {
    if (mustThrow(failure, run)) throw failure;
    run.report.fail("compaction", failure);
    return undefined;
  }
}
