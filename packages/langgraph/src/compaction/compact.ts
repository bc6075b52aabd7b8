import type { BaseMessage } from "@langchain/core/messages";
import { dropStaleReasoning, withIds } from "@palimpsest/context";
import { reconcile } from "@palimpsest/context/internal";
import { commitRewrite, mustThrow } from "../edge/commit.js";
import { reporter, type Reporter } from "../edge/reporter.js";
import type { ResolvedOptions } from "../edge/resolve-options.js";
import { optionsOfRun } from "../edge/run-options.js";
import { threadIdOf } from "../edge/run-config.js";
import { withBudgetLines } from "./budget-lines.js";
import type { CompactInput, CompactOutcome } from "./compact-input.js";
import { compactWhenDue } from "./compact-when-due.js";
import { offloadArrivals } from "./offload-arrivals.js";

/**
 * Returns the context after one run of the ladder: new results offloaded, and compacted when that is due.
 *
 * One core for the nodes, the overflow handler and the middleware. `archived -> validated -> smaller -> applied`:
 * any failure before the end returns the messages as they were and an event, unless `onError` is "throw". Aborts
 * and graph interrupts pass through.
 */
export async function compact(input: CompactInput, resolved: ResolvedOptions): Promise<CompactOutcome> {
  const { config } = input;
  let { messages } = input;
  const threadId = threadIdOf(config, messages);
  if (threadId === undefined) return { messages };
  const report = reporter(resolved, config, threadId);
  const options = optionsOfRun(resolved, { config, report });
  const { archive } = options.files.thread(threadId);
  try {
    messages = await reconcile(messages, (path) => archive.readText(path));
    if (input.only === undefined) messages = await offload({ ...input, messages }, options, report);
    const outcome = await compactWhenDue({ ...input, messages }, options, report);
    return withBudgetLines(outcome, { before: input.messages, state: input.state, options });
  } catch (error) {
    if (mustThrow(error, { signal: config?.signal, onError: options.onError })) throw error;
    report.fail("compaction", error);
    return { messages };
  }
}

async function offload(
  { messages, state, overflow, config }: CompactInput,
  options: ResolvedOptions,
  report: Reporter,
): Promise<readonly BaseMessage[]> {
  const known = overflow === true ? {} : state;
  // Nearly every step ends here: ids, which take longer than all the rest, are looked at when there is a fold.
  const arrivals = offloadArrivals(messages, options, known);
  if (arrivals.folds.length === 0) return messages;
  const named = withIds(messages);
  const offloaded = named === messages ? arrivals : offloadArrivals(named, options, known);
  const rewrite = dropStaleReasoning(named, offloaded, options.tokenCounter);
  const { archive } = options.files.thread(report.threadId);
  const target = { archive, report, signal: config?.signal, onError: options.onError };
  return (await commitRewrite(rewrite, { ...target, reason: "arrival" })) ? rewrite.messages : messages;
}
