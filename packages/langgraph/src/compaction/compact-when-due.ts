import type { BaseMessage } from "@langchain/core/messages";
import { defaults, isTriggered, withIds, type Rewrite } from "@palimpsest/context";
import type { CompactionReason, SkipCause } from "../context-event.js";
import type { ResolvedOptions } from "../resolve-options.js";
import { agentRequest } from "./agent-request.js";
import { applyRewrite } from "./apply-rewrite.js";
import type { CompactInput, CompactOutcome } from "./compact-input.js";
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
  const refuse = refuser({ input, report, reason, before });

  const trigger = targetOf(options, 1);
  const floor = floorOf(messages, options, overhead);
  const limit = floor >= trigger && mustFree(reason, before, options) ? most : Math.min(most, trigger);
  if (floor >= limit) {
    return refuse(
      "floor",
      `What must stay takes ${floor} of ${before} tokens: raise the trigger or shorten it`,
    );
  }
  const rewrite = await makeRewrite(messages, { input, options, report, reason, size, limit });
  if (rewrite === undefined)
    return refuse("nothing-to-fold", "The model has seen nothing that can be folded");
  const after = size(rewrite.messages);
  if (after > most)
    return refuse("too-little-freed", `Only ${before - after} of ${before} tokens would be freed`);
  if (!(await applyRewrite(rewrite, { options, report, reason }))) {
    return { messages: input.messages, state: { refusedAt: before } };
  }
  const { threadId } = report;
  report.send({ type: "context.compaction", reason, tokensBefore: before, tokensAfter: after, threadId });
  // Where the trigger is still met, the next step would compact again for next to nothing: wait until it has grown.
  const left = { ...options, tokens: after, messages: rewrite.messages.length };
  const pause = isTriggered(options.trigger, left)
    ? { refusedAt: after }
    : { refusedAt: 0, refusedFor: "" as const };
  return { messages: rewrite.messages, state: { overheadTokens: overhead, ...pause } };
}

interface Refusing {
  readonly input: CompactInput;
  readonly report: Reporter;
  readonly reason: CompactionReason;
  /** Tokens of the context. */
  readonly before: number;
}

/** Returns what ends a compaction that is not applied. A cause is told once, unless somebody asked for the compaction. */
function refuser({ input, report, reason, before }: Refusing) {
  return function refuse(because: SkipCause, message: string): CompactOutcome {
    const { threadId } = report;
    const asked = reason === "agent" || reason === "overflow";
    if (asked || input.state?.refusedFor !== because) {
      report.send({ type: "context.skip", reason, because, message, threadId });
    }
    return { messages: input.messages, state: { refusedAt: before, refusedFor: because } };
  };
}

/** True when a shorter context helps even where it stays above the trigger. */
function mustFree(reason: CompactionReason, tokens: number, { contextWindow }: ResolvedOptions): boolean {
  if (reason === "overflow" || reason === "agent") return true;
  return tokens >= defaults.safetyTrigger.fraction * contextWindow;
}

interface Making {
  readonly input: CompactInput;
  readonly options: ResolvedOptions;
  readonly report: Reporter;
  readonly reason: Exclude<CompactionReason, "arrival">;
  readonly size: (messages: readonly BaseMessage[]) => number;
  readonly limit: number;
}

function makeRewrite(
  messages: readonly BaseMessage[],
  { input, options, report, reason, size, limit }: Making,
): Promise<Rewrite | undefined> {
  const request = reason === "agent" ? agentRequest(messages) : undefined;
  const signal = input.config?.signal;
  const markers = request?.preserveMarkers === true;
  const { trigger, contextWindow } = options;
  // After an overflow the count was wrong: free twice as much as the count asks for.
  const target = targetOf(options, reason === "overflow" ? defaults.settle / 2 : defaults.settle);
  return climb(messages, {
    options,
    reason,
    size,
    limit,
    fits(list) {
      const tokens = size(list);
      return tokens <= target && !isTriggered(trigger, { tokens, messages: list.length, contextWindow });
    },
    cheapFirst: input.only === undefined && (reason === "trigger" || reason === "safety-net"),
    write:
      request?.strategy === "archive"
        ? undefined
        : (region) => writeSummary(region, { options, report, signal, markers }),
  });
}
