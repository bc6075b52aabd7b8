import { earlyEnd } from "@palimpsest/context/internal";
import { ladder, type LadderOptions } from "../compaction/compact.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import type { Plan } from "../run/run-step.js";
import { archiveAnswers, earlyAnswers, reportRetry } from "./early-answers.js";

/**
 * Returns the plan before a model call: the {@link ladder}, and if the newest answer ended at the window, the removal of that
 * answer and a forced compaction, once for each point of the thread.
 *
 * The answer is archived first; if that fails, it stays.
 */
export function compactBeforeCall(asked?: LadderOptions): Plan<ResolvedOptions> {
  const runLadder = ladder(asked);
  return async function retryAndCompact(step) {
    const newest = step.messages.at(-1);
    if (newest !== undefined && earlyEnd(newest) === "provider-compacted")
      reportRetry("provider-compacted", [newest], step);
    // Hot path: nearly every step ends here.
    if (earlyAnswers(step.messages, step.options, step.known).replaced.length === 0) return runLadder(step);
    const messages = step.nameMessages();
    const { replaced, isRetryDue, askedBy } = earlyAnswers(messages, step.options, step.known);
    if (!(await archiveAnswers(replaced, step))) return runLadder(step);
    step.settle(messages.filter((message) => !replaced.includes(message)));
    step.overflow = isRetryDue;
    const state = await runLadder(step);
    return isRetryDue ? { ...state, retriedAt: askedBy } : state;
  };
}
