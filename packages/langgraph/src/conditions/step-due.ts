import type { BaseMessage } from "@langchain/core/messages";
import { changedFrom, hasResent, heldOriginals } from "@palimpsest/context/internal";
import { dueBudgetLine } from "../compaction/budget-lines.js";
import { compactionDue, untoldDispute } from "../compaction/compaction-due.js";
import { offloadArrivalsOf } from "../compaction/offload-arrivals.js";
import { spanToPrepare } from "../compaction/prepared/background-summary.js";
import { isUnmarked } from "../epochs/sent-prefix.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { earlyAnswers } from "../retry/early-answers.js";
import type { NodeConfig } from "../run-config.js";
import type { CompactionState } from "../run/context-state.js";
import {
  compactionStateOf,
  isContextBehind,
  knownState,
  listsOf,
  type NodeState,
} from "../run/node-state.js";

/**
 * Returns whether the compaction node would change the context of a state, or what it remembers. It asks what the node asks, and
 * plans nothing.
 *
 * The time of a call that a planner notes is no change. A prompt over the window, and originals that wait for the
 * archive, are always due, because the node tries again at each step. Pure, except for the clock of a planner.
 */
export function isStepDue(state: NodeState, options: ResolvedOptions, config?: NodeConfig): boolean {
  if (isContextBehind(state, options)) return true;
  const { messages, mayExceedReport } = listsOf(state, { ...options, config });
  if (mayExceedReport) return true;
  const channel = compactionStateOf(state, options);
  return (
    isOpened(messages, channel) ||
    earlyAnswers(messages, options, channel).replaced.length > 0 ||
    isLadderDue(messages, options, channel)
  );
}

/** Returns whether a step finds something to mend before its plan, or a prefix to record behind it. */
function isOpened(messages: readonly BaseMessage[], channel: CompactionState | undefined): boolean {
  const marks = channel?.prefix?.marks ?? [];
  return (
    hasResent(messages) ||
    heldOriginals(messages).size > 0 ||
    isUnmarked(messages, channel) ||
    changedFrom(messages, marks) !== undefined
  );
}

/** Returns whether the ladder has something to do. */
function isLadderDue(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  channel: CompactionState | undefined,
): boolean {
  const known = knownState(messages, channel);
  const due = compactionDue(messages, options, channel);
  const { reason, measured = {} } = due;
  return (
    reason !== undefined ||
    untoldDispute(measured, known) !== undefined ||
    known?.overflow !== undefined ||
    spanToPrepare(messages, options, known) !== undefined ||
    dueBudgetLine(messages, options, channel) !== undefined ||
    offloadArrivalsOf(messages, options, { state: channel, due }).folds.length > 0
  );
}
