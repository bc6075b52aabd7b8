import { isGraphBubbleUp } from "@langchain/langgraph";
import type { BaseMessage } from "@langchain/core/messages";
import { withIds } from "@palimpsest/context";
import type { NodeConfig } from "../node-config.js";
import type { ResolvedOptions } from "../resolve-options.js";
import type { CompactionState } from "../state/compaction-state.js";
import { threadIdOf } from "../thread-id.js";
import { applyRewrite } from "./apply-rewrite.js";
import { compactWhenDue } from "./compact-when-due.js";
import { offloadArrivals } from "./offload-arrivals.js";
import { reporter, type Reporter } from "./reporter.js";

export interface CompactInput {
  readonly messages: readonly BaseMessage[];
  readonly state?: CompactionState | undefined;
  readonly config?: NodeConfig | undefined;
  /** Compacts whatever the size, because the provider has refused the prompt. */
  readonly overflow?: boolean;
  /** Goes straight to the summary: no offloading, no cheaper rung. */
  readonly only?: "summary";
}

export interface CompactOutcome {
  /** The context; the very array that came in when nothing was changed. */
  readonly messages: readonly BaseMessage[];
  /** Update for the `compaction` channel. */
  readonly state?: CompactionState;
}

/**
 * Returns the context after one run of the ladder: new results offloaded, and compacted when that is due.
 *
 * One core for the nodes, the overflow handler and the middleware. `archived -> validated -> smaller -> applied`:
 * any failure before the end returns the messages as they were and an event, unless `onError` is "throw". Aborts
 * and graph interrupts pass through.
 */
export async function compact(input: CompactInput, options: ResolvedOptions): Promise<CompactOutcome> {
  const { config, messages } = input;
  const threadId = threadIdOf(config, messages);
  if (threadId === undefined) return { messages };
  const report = reporter(options, config, threadId);
  try {
    const arrived = input.only === undefined ? await offload(messages, options, report) : messages;
    return await compactWhenDue({ ...input, messages: arrived }, options, report);
  } catch (error) {
    if (isGraphBubbleUp(error) || config?.signal?.aborted === true || options.onError === "throw") throw error;
    report.fail("compaction", error);
    return { messages };
  }
}

async function offload(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  report: Reporter,
): Promise<readonly BaseMessage[]> {
  const rewrite = offloadArrivals(withIds(messages), options);
  if (rewrite.folds.length === 0) return messages;
  return (await applyRewrite(rewrite, { options, report, reason: "arrival" })) ? rewrite.messages : messages;
}
