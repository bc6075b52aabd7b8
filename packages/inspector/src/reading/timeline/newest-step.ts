import type { BaseMessage } from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { VfsSaver } from "@palimpsest/checkpoint";
import type { StepRow } from "../../view.js";
import { addTokens, noTokens } from "./context-change.js";
import { readState } from "../read-state.js";
import { compactionOf, stepRow } from "./step-row.js";

/** Where a thread stands. */
export interface NewestStep {
  /** Its folds are those of the context. */
  readonly row: StepRow;
  /** What the model is sent: stand-ins in place of what was folded. */
  readonly context: readonly BaseMessage[];
  /** Tokens that a middleware recorded; undefined where none did. */
  readonly window: number | undefined;
}

/** Reads the newest checkpoint of a thread. Throws an InspectorError where there is no such thread. */
export async function newestStep(saver: VfsSaver, threadId: string): Promise<NewestStep> {
  const { context, namespace, id } = await readState(saver, threadId);
  const place = { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: id };
  const tuple = (await saver.getTuple({ configurable: place })) as CheckpointTuple;
  const tokens = addTokens(noTokens, context, []);
  const row = stepRow({ tuple, context, tokens }, undefined, { removed: [], added: context, unchanged: 0 });
  return { row, context, window: compactionOf(tuple).contextWindow };
}
