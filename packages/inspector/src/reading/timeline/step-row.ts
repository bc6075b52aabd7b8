import type { BaseMessage } from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { foldOf, type Fold } from "@palimpsest/context";
import type { CompactionState } from "@palimpsest/langgraph";
import { parts, type StepRow } from "../../view.js";
import { callOf } from "../add-usage.js";
import { isSame, type ContextChange } from "./context-change.js";
import { foldView } from "../message-view.js";

/** A checkpoint and what the model is sent at it. */
export interface Snapshot {
  readonly tuple: CheckpointTuple;
  readonly context: readonly BaseMessage[];
  /** Tokens of the context by part, of the estimator, in the order of `parts`. */
  readonly tokens: readonly number[];
}

/**
 * Returns the row of a checkpoint. `before` is the one before it in time, undefined for the first, and `change` what changed since.
 * Costs what changed, whatever the length of the context.
 */
export function stepRow(
  { tuple, context, tokens }: Snapshot,
  before: Snapshot | undefined,
  { removed, added, unchanged }: ContextChange,
): StepRow {
  const earlier = before?.context ?? [];
  const newest = context.at(-1);
  const isNew = newest !== undefined && !isSame(newest, earlier.at(-1));
  const knownIds = new Set(removed.map(({ id }) => id));
  const knownFolds = new Set(foldsOf(removed).map(({ id }) => id));
  const folds = foldsOf(added).filter(({ id }) => !knownFolds.has(id));
  const call = added.flatMap((message) => (knownIds.has(message.id) ? [] : (callOf(message) ?? []))).at(-1);
  const parent = tuple.parentConfig?.configurable?.["checkpoint_id"] as string | undefined;
  return {
    id: tuple.checkpoint.id,
    step: typeof tuple.metadata?.step === "number" ? tuple.metadata.step : null,
    at: tuple.checkpoint.ts,
    tokens: scaled(tokens, compactionOf(tuple)),
    messages: context.length,
    unchanged,
    isEpoch: unchanged < earlier.length,
    isBranch: before !== undefined && parent !== before.tuple.checkpoint.id,
    folds: folds.map(foldView),
    call:
      call === undefined
        ? null
        : { model: call.model, input: call.input, cached: call.cached, output: call.output },
    label: isNew ? labelOf(newest) : "",
  };
}

function foldsOf(messages: readonly BaseMessage[]): readonly Fold[] {
  return messages.flatMap((message) => foldOf(message) ?? []);
}

/** Returns what compaction remembers at a checkpoint. */
export function compactionOf({ checkpoint }: CheckpointTuple): CompactionState {
  return checkpoint.channel_values["compaction"] ?? {};
}

/** Tokens by part, scaled by what the provider was last found to count. */
function scaled(
  tokens: readonly number[],
  { overheadTokens = 0, tokenRatio = 1 }: CompactionState,
): readonly number[] {
  return tokens.map((sum, index) =>
    Math.round(sum * tokenRatio + (parts[index] === "system" ? overheadTokens : 0)),
  );
}

function labelOf(message: BaseMessage): string {
  const calls = (message as { readonly tool_calls?: readonly { readonly name: string }[] }).tool_calls ?? [];
  const name = message.name === undefined ? message.getType() : `${message.getType()} ${message.name}`;
  const asked = calls.length === 0 ? "" : ` → ${calls.map((call) => call.name).join(", ")}`;
  return `${name}${asked}: ${message.text.slice(0, 120).replace(/\s+/gu, " ")}`;
}
