import type { BaseMessage } from "@langchain/core/messages";
import type { VfsSaver } from "@palimpsest/checkpoint";
import type { StepRow } from "../../view.js";
import { addTokens, noTokens } from "./context-change.js";
import { messagesAt, tupleAt } from "../read-state.js";
import { compactionOf, stepRow } from "./step-row.js";

/** The newest step of a thread. */
export interface NewestStep {
  /** Its folds are those of the context. */
  readonly row: StepRow;
  /** The messages that the model is sent: stand-ins in place of what was folded. */
  readonly context: readonly BaseMessage[];
  /** Tokens that a middleware recorded; undefined if none did. */
  readonly window: number | undefined;
}

/** Reads the newest checkpoint of a thread. Throws an InspectorError if there is no such thread. */
export async function newestStep(saver: VfsSaver, threadId: string): Promise<NewestStep> {
  const tuple = await tupleAt(saver, threadId);
  const { context } = await messagesAt(saver, tuple);
  const tokens = addTokens(noTokens, context, []);
  const row = stepRow({ tuple, context, tokens }, undefined, { removed: [], added: context, unchanged: 0 });
  return { row, context, window: compactionOf(tuple).contextWindow };
}
