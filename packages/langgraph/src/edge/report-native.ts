import type { BaseMessage } from "@langchain/core/messages";
import { isAi, isNativeCompaction, nativeUsage } from "@palimpsest/context/internal";
import type { Reporter } from "./reporter.js";

/** Reports that the provider compacted the context in its newest reply, and what that cost. */
export function reportNative(messages: readonly BaseMessage[], report: Reporter): void {
  const newest = messages.findLast((message) => isAi(message));
  if (newest === undefined || !isNativeCompaction(newest)) return;
  const passes = nativeUsage(newest);
  const usage = passes === undefined ? {} : { usage: { ...passes, reportedCalls: passes.calls } };
  const { threadId } = report;
  report.send({ type: "context.native", messageId: newest.id, ...usage, threadId });
}
