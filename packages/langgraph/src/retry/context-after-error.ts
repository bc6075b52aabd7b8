import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, isContextOverflow } from "@palimpsest/context";
import { refusedFrom, refusedReasoning } from "@palimpsest/context/internal";
import { ladder } from "../compaction/compact.js";
import { isCompactedAt } from "../compaction/compaction-due.js";
import type { Plan } from "../run/run-step.js";
import type { ResolvedOptions } from "../options/resolve-options.js";

/** Why a provider refused a prompt, if a changed context can resolve it. */
export type RefusalReason = "overflow" | "reasoning-refused";

/** Returns why a provider refused a prompt, or undefined for an error that no changed context resolves. */
export function refusalReason(error: unknown): RefusalReason | undefined {
  if (isContextOverflow(error)) return "overflow";
  return refusedReasoning(error) === undefined ? undefined : "reasoning-refused";
}

/** Returns true if the context was changed for this reason after its newest message. */
export function isChangedAt(messages: readonly BaseMessage[], reason: RefusalReason): boolean {
  if (reason === "overflow") return isCompactedAt(messages, "overflow");
  const newest = messages.at(-1)?.id;
  return messages.some((message) => {
    const fold = foldOf(message);
    return fold?.reason === reason && fold.newest === newest;
  });
}

/**
 * Returns the plan for another call after an error: a compaction after an overflow, or the removal of the refused reasoning and
 * of all reasoning after it. It changes nothing where neither is possible.
 */
export function planAfterError(error: unknown): Plan<ResolvedOptions> {
  return isContextOverflow(error) ? ladder() : withoutRefused(error);
}

function withoutRefused(error: unknown): Plan<ResolvedOptions> {
  return async function removeRefused(step) {
    const refused = refusedReasoning(error);
    if (refused === undefined) return undefined;
    const reason = "reasoning-refused";
    const before = step.nameMessages();
    const from = refusedFrom(before, refused);
    const rewrite = step.withoutReasoning(before, { isStale: (_, index) => index >= from, reason });
    const changed = rewrite.messages.filter((message, index) => message !== before[index]);
    if (changed.length === 0 || !(await step.apply(rewrite, reason))) return undefined;
    const { report } = step;
    report.send({
      type: "context.retry",
      reason,
      message: refused.text,
      messages: changed.map(({ id }) => id ?? ""),
      threadId: report.threadId,
    });
    return undefined;
  };
}
