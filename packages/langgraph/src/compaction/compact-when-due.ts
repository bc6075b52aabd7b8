import type { BaseMessage } from "@langchain/core/messages";
import { defaults, withIds, type Rewrite } from "@palimpsest/context";
import type { CompactionReason, SkipCause } from "../context-event.js";
import type { ResolvedOptions } from "../resolve-options.js";
import { agentRequest } from "./agent-request.js";
import { applyRewrite } from "./apply-rewrite.js";
import type { CompactInput, CompactOutcome } from "./compact.js";
import { compactionDue } from "./compaction-due.js";
import { climb, floorOf, targetOf } from "./ladder.js";
import type { Reporter } from "./reporter.js";
import { writeSummary } from "./write-summary.js";

/** Returns the compacted context, or what came in when no compaction is due, possible or worth it. */
export async function compactWhenDue(
  input: CompactInput,
  options: ResolvedOptions,
  report: Reporter,
): Promise<CompactOutcome> {
  const messages = withIds(input.messages);
  const { measure, reason: due } = compactionDue(messages, options, input.state);
  const reason = input.overflow === true ? "overflow" : due;
  if (reason === undefined) return { messages: input.messages };
  const overhead = measure.overheadTokens;
  const size = (list: readonly BaseMessage[]) => overhead + options.tokenCounter(list);
  const before = size(messages);
  const most = before * (1 - defaults.minProgress);

  function refuse(because: SkipCause, message: string): CompactOutcome {
    report.send({ type: "context.skip", reason: reason ?? "trigger", because, message, threadId: report.threadId });
    return { messages: input.messages, state: { refusedAt: before } };
  }

  const floor = floorOf(messages, options, overhead);
  const highest = reason === "overflow" ? most : Math.min(most, targetOf(options, 1));
  if (floor >= highest) {
    return refuse("floor", `What must stay takes ${floor} of ${before} tokens: raise the trigger or shorten it`);
  }
  const rewrite = await makeRewrite(messages, { input, options, report, reason, size });
  if (rewrite === undefined) return refuse("nothing-to-fold", "Nothing that the model has seen can be folded");
  const after = size(rewrite.messages);
  if (after > most) return refuse("too-little-freed", `Only ${before - after} of ${before} tokens would be freed`);
  if (!(await applyRewrite(rewrite, { options, report, reason }))) return { messages: input.messages };
  const { threadId } = report;
  report.send({ type: "context.compaction", reason, tokensBefore: before, tokensAfter: after, threadId });
  return { messages: rewrite.messages, state: { overheadTokens: overhead, refusedAt: 0 } };
}

interface Making {
  readonly input: CompactInput;
  readonly options: ResolvedOptions;
  readonly report: Reporter;
  readonly reason: Exclude<CompactionReason, "arrival">;
  readonly size: (messages: readonly BaseMessage[]) => number;
}

function makeRewrite(
  messages: readonly BaseMessage[],
  { input, options, report, reason, size }: Making,
): Promise<Rewrite | undefined> {
  const request = reason === "agent" ? agentRequest(messages) : undefined;
  const signal = input.config?.signal;
  const markers = request?.preserveMarkers === true;
  return climb(messages, {
    options,
    reason,
    size,
    cheapFirst: input.only === undefined && (reason === "trigger" || reason === "safety-net"),
    // After an overflow the count was wrong: free twice as much as the count asks for.
    target: targetOf(options, reason === "overflow" ? defaults.settle / 2 : defaults.settle),
    write:
      request?.strategy === "archive"
        ? undefined
        : (region) => writeSummary(region, { options, report, signal, markers }),
  });
}
