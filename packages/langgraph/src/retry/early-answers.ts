import type { BaseMessage } from "@langchain/core/messages";
import {
  historyRecord,
  earlyEnd,
  isAi,
  isEmptyAnswer,
  recordText,
  stopReasons,
  type EarlyEnd,
} from "@palimpsest/context/internal";
import type { CompactionState } from "../run/context-state.js";
import { knownState } from "../run/node-state.js";
import type { Step } from "../run/step.js";
import type { ResolvedOptions } from "../options/resolve-options.js";

/** Newest answers that ended at the context window. */
export interface EarlyAnswers {
  /** The answers that a retry replaces or has replaced, oldest first. */
  readonly replaced: readonly BaseMessage[];
  /** True when the newest of them calls for a compaction and another call of the model. */
  readonly isRetryDue: boolean;
  /** Id of the newest message that they answer, or that the user has sent since. */
  readonly askedBy: string | undefined;
}

/**
 * Returns the newest answers that ended at the window. Reads only the newest messages. Pure.
 *
 * One retry is due for each point of the thread. An answer with text to which the user has replied stays.
 */
export function earlyAnswers(
  messages: readonly BaseMessage[],
  { maxPromptTokens }: Pick<ResolvedOptions, "maxPromptTokens">,
  state: CompactionState | undefined,
): EarlyAnswers {
  const newest = messages.findLastIndex(isAi);
  const answer = messages[newest];
  if (answer === undefined) return { replaced: [], isRetryDue: false, askedBy: undefined };
  const isExceeded = (message: BaseMessage | undefined) =>
    message !== undefined && earlyEnd(message, maxPromptTokens) === "window-exceeded";
  let first = newest;
  while (isExceeded(messages[first - 1])) first--;
  const isLast = newest === messages.length - 1;
  const askedBy = (isLast ? messages[first - 1] : messages.at(-1))?.id;
  const isRetryDue =
    isExceeded(answer) &&
    (isLast || isEmptyAnswer(answer)) &&
    (askedBy === undefined || knownState(messages, state)?.retriedAt !== askedBy);
  return { replaced: messages.slice(first, isRetryDue ? newest + 1 : newest), isRetryDue, askedBy };
}

/**
 * Returns true if the model must be called again after the newest answer: it ended at the window, or at a compaction by the
 * provider.
 */
export function isCallDue(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  state: CompactionState | undefined,
): boolean {
  const [before, newest] = [messages.at(-2), messages.at(-1)];
  if (newest === undefined || !isAi(newest)) return false;
  if (earlyEnd(newest) !== "provider-compacted") return earlyAnswers(messages, options, state).isRetryDue;
  return before === undefined || earlyEnd(before) !== "provider-compacted";
}

/** Archives answers so that others may replace them, and reports the retry. Returns false if that fails. */
export async function archiveAnswers(answers: readonly BaseMessage[], step: Step): Promise<boolean> {
  const content = recordText(answers);
  const path = historyRecord("answers", content, step.options.lane);
  if (!(await step.write([{ path, content }]))) return false;
  reportRetry("window-exceeded", answers, { report: step.report, path });
  return true;
}

/** Sends the event of a retry after answers that ended early. */
export function reportRetry(
  reason: EarlyEnd,
  answers: readonly BaseMessage[],
  { report, path }: Pick<Step, "report"> & { readonly path?: string },
): void {
  report.send({
    type: "context.retry",
    reason,
    message: answers.flatMap(stopReasons).at(-1) ?? "",
    messages: answers.map(({ id }) => id ?? ""),
    ...(path === undefined ? {} : { path }),
    threadId: report.threadId,
  });
}
