import type { BaseMessage } from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { foldsIn } from "@palimpsest/context/internal";
import type { StepRow } from "../../view.js";
import { foldView } from "../message-view.js";
import { messagesAt, runOf, tupleAt } from "../read-state.js";
import { addTokens, contextChange, noTokens } from "./context-change.js";
import { compactionOf, parentOf, stepRow, type Snapshot } from "./step-row.js";

/** The newest call of a thread, or its newest checkpoint if none of the newest was a call. */
export interface NewestStep {
  /** Its folds are those of the context. */
  readonly row: StepRow;
  /** The messages at that checkpoint: those that the model was sent, then its reply. */
  readonly context: readonly BaseMessage[];
  /** Tokens that a middleware recorded; undefined if none did. */
  readonly window: number | undefined;
  /** Calls between it and the newest one. */
  readonly back: number;
}

export interface NewestStepOptions {
  /** Calls before the newest one; the first call if there are fewer. @default 0 */
  readonly back?: number;
}

/** Checkpoints that are searched for each call. */
const searched = 100;

/** Reads the newest call of a thread, or one before it. Throws an InspectorError if there is no such thread. */
export async function newestStep(
  saver: VfsSaver,
  threadId: string,
  { back = 0 }: NewestStepOptions = {},
): Promise<NewestStep> {
  const newest = await tupleAt(saver, threadId);
  let found: NewestStep | undefined;
  for await (const call of callsBefore(saver, threadId, newest)) {
    found = call;
    if (call.back === back) break;
  }
  if (found !== undefined) return found;
  const snapshot = await snapshotOf(saver, newest);
  const { context: added } = snapshot;
  return stepOf(snapshot, stepRow(snapshot, undefined, { removed: [], added, unchanged: 0 }), 0);
}

/** Yields the calls of the newest branch, newest first, until one is too far from the one after it. */
async function* callsBefore(
  saver: VfsSaver,
  threadId: string,
  newest: CheckpointTuple,
): AsyncGenerator<NewestStep> {
  const { namespace } = await runOf(saver, threadId);
  let [newer, wanted]: [Snapshot | undefined, string | undefined] = [undefined, newest.checkpoint.id];
  let [left, back] = [searched, 0];
  for await (const tuple of saver.history(threadId, namespace)) {
    if (wanted !== undefined && tuple.checkpoint.id !== wanted) continue;
    const older = await snapshotOf(saver, tuple);
    const row = newer && stepRow(newer, older, contextChange(older.context, newer.context));
    if (newer !== undefined && row !== undefined && row.calls.length > 0) {
      yield stepOf(newer, row, back);
      [left, back] = [searched, back + 1];
    }
    [newer, wanted] = [older, parentOf(tuple)];
    left -= 1;
    if (left === 0) return;
  }
}

async function snapshotOf(saver: VfsSaver, tuple: CheckpointTuple): Promise<Snapshot> {
  const { context } = await messagesAt(saver, tuple);
  return { tuple, context, tokens: addTokens(noTokens, context, []) };
}

function stepOf({ tuple, context }: Snapshot, row: StepRow, back: number): NewestStep {
  const folds = foldsIn(context).map(({ value }) => foldView(value));
  return { row: { ...row, folds }, context, window: compactionOf(tuple).contextWindow, back };
}
