import type { BaseMessage } from "@langchain/core/messages";
import type { Fold } from "@palimpsest/context";
import { isAi, isNativeCompaction, nativeUsage } from "@palimpsest/context/internal";
import type { CompactionReason, ContextEvent, FailedRung, NextRung } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import type { NodeConfig } from "../run-config.js";
import type { StepFailure } from "./context-state.js";

/** Sends events of one thread to `onEvent` and to the graph's `custom` stream. Never throws. */
export interface Reporter {
  readonly threadId: string;
  /** Reports folds; `reason` is that of the folds that name none. */
  folds(folds: readonly Fold[], reason: CompactionReason): void;
  fail(rung: FailedRung, error: unknown, next?: NextRung): void;
  send(event: ContextEvent): void;
}

/** Returns a reporter for the thread that `config` runs. */
export function reporter(
  options: Pick<ContextOptions, "onEvent">,
  config: NodeConfig | undefined,
  threadId: string,
): Reporter {
  function send(event: ContextEvent): void {
    for (const listener of [options.onEvent, config?.writer]) {
      // A listener that throws, or rejects later, must not stop the agent.
      try {
        const returned: unknown = listener?.(event);
        Promise.resolve(returned).catch(ignore);
      } catch {
        continue;
      }
    }
  }
  return {
    threadId,
    send,
    folds(folds, reason) {
      for (const fold of folds) {
        const own = (fold.reason as CompactionReason | undefined) ?? reason;
        send({ type: "context.fold", fold, reason: own, threadId });
      }
    },
    fail(rung, error, next = "none") {
      send({ type: "context.fail", rung, error, next, threadId });
    },
  };
}

function ignore(): void {}

/** Failures of one step that are kept. */
const mostFailures = 8;
/** Characters of the message of an error that are kept. */
const longestText = 300;

/** Returns a reporter that also adds what fails to `failures`, each once. `after` is the id of the newest message. */
export function notingFailures(report: Reporter, failures: StepFailure[], after: string): Reporter {
  return {
    ...report,
    fail(rung, error, next = "none") {
      report.fail(rung, error, next);
      const text = textOf(error);
      const isKnown = failures.some((known) => known.rung === rung && known.text === text);
      if (!isKnown && failures.length < mostFailures) failures.push({ rung, next, text, after });
    },
  };
}

function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.slice(0, longestText).toWellFormed();
}

/** Reports that the provider compacted the context in its newest reply, with the tokens that it bills for it. */
export function reportNative(messages: readonly BaseMessage[], report: Reporter): void {
  const newest = messages.findLast((message) => isAi(message));
  if (newest === undefined || !isNativeCompaction(newest)) return;
  const passes = nativeUsage(newest);
  const usage = passes === undefined ? {} : { usage: { ...passes, reportedCalls: passes.calls } };
  const { threadId } = report;
  report.send({ type: "context.native", messageId: newest.id, ...usage, threadId });
}
