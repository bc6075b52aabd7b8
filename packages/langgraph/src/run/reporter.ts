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

/** What a reporter is for. */
interface Reported {
  readonly threadId: string;
  /** Gets what fails, each once. @default nothing is kept */
  readonly failures?: StepFailure[];
  /** Id of the newest message. */
  readonly after?: string;
}

/** Returns a reporter for the thread that `config` runs. */
export function reporter(
  options: Pick<ContextOptions, "onEvent">,
  config: NodeConfig | undefined,
  { threadId, failures, after = "" }: Reported,
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
      if (failures !== undefined) noteFailure({ rung, next, text: textOf(error), after }, failures);
    },
  };
}

function ignore(): void {}

/** Failures of one step that are kept. */
const mostFailures = 8;
/** Characters of the message of an error that are kept. */
const longestText = 300;

function noteFailure(failure: StepFailure, failures: StepFailure[]): void {
  const isKnown = failures.some(({ rung, text }) => rung === failure.rung && text === failure.text);
  if (!isKnown && failures.length < mostFailures) failures.push(failure);
}

function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.slice(0, longestText).toWellFormed();
}

/** Reports that the provider compacted the context in its newest reply, with the tokens that it bills for it. */
export function reportNative(messages: readonly BaseMessage[], report: Reporter): void {
  const newest = messages.findLast(isAi);
  if (newest === undefined || !isNativeCompaction(newest)) return;
  const passes = nativeUsage(newest);
  const usage = passes === undefined ? {} : { usage: { ...passes, reportedCalls: passes.calls } };
  const { threadId } = report;
  report.send({ type: "context.native", messageId: newest.id, ...usage, threadId });
}
