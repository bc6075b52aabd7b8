import { withIds } from "@palimpsest/context";
import { earlyEnd } from "@palimpsest/context/internal";
import { compact } from "../compaction/compact.js";
import { runContext, type CompactInput, type CompactOutcome } from "../compaction/compaction-step.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { archiveAnswers, earlyAnswers, reportRetry } from "./early-answers.js";

/**
 * Returns the context for the next model call, like {@link compact}. If the newest answer ended at the window, that answer is
 * removed and a compaction is forced, once for each point of the thread.
 *
 * The answer is archived first; if that fails, it stays.
 */
export async function compactBeforeCall(
  input: CompactInput,
  resolved: ResolvedOptions,
): Promise<CompactOutcome> {
  const newest = input.messages.at(-1);
  if (newest !== undefined && earlyEnd(newest) === "provider-compacted") {
    const run = runContext(input, resolved);
    if (run !== undefined) reportRetry("provider-compacted", [newest], run);
  }
  // Hot path: nearly every step ends here.
  if (earlyAnswers(input.messages, resolved, input.state).replaced.length === 0)
    return compact(input, resolved);
  const messages = withIds(input.messages);
  const { replaced, isRetryDue, askedBy } = earlyAnswers(messages, resolved, input.state);
  const run = runContext({ ...input, messages }, resolved);
  if (run === undefined || !(await archiveAnswers(replaced, run))) return compact(input, resolved);
  const rest = messages.filter((message) => !replaced.includes(message));
  const outcome = await compact({ ...input, messages: rest, overflow: isRetryDue }, resolved);
  return isRetryDue ? { ...outcome, state: { ...outcome.state, retriedAt: askedBy } } : outcome;
}
