import type { BaseMessage } from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { foldOf, type Fold } from "@palimpsest/context";
import type { CompactionState } from "@palimpsest/langgraph";
import { parts, type StepRow } from "../view.js";
import { callOf } from "./add-usage.js";
import { foldView } from "./message-view.js";
import { partOf } from "./part-of.js";

/** A checkpoint and what the model is sent at it. */
export interface Snapshot {
  readonly tuple: CheckpointTuple;
  readonly context: readonly BaseMessage[];
}

/** Returns the row of a checkpoint. `before` is the one before it in time, undefined for the first. */
export function stepRow({ tuple, context }: Snapshot, before: Snapshot | undefined): StepRow {
  const earlier = before?.context ?? [];
  const unchanged = context.findIndex((message, index) => !isSame(message, earlier[index]));
  const shared = unchanged === -1 ? context.length : unchanged;
  const newest = context.at(-1);
  const isNew = newest !== undefined && !isSame(newest, earlier.at(-1));
  const [knownIds, knownFolds] = [
    new Set(earlier.map(({ id }) => id)),
    new Set(foldsOf(earlier).map(({ id }) => id)),
  ];
  const folds = foldsOf(context).filter(({ id }) => !knownFolds.has(id));
  const calls = context.flatMap((message) => (knownIds.has(message.id) ? [] : (callOf(message) ?? [])));
  const call = calls.at(-1);
  const parent = tuple.parentConfig?.configurable?.["checkpoint_id"] as string | undefined;
  return {
    id: tuple.checkpoint.id,
    step: typeof tuple.metadata?.step === "number" ? tuple.metadata.step : null,
    at: tuple.checkpoint.ts,
    tokens: tokensByPart(context, compactionOf(tuple)),
    messages: context.length,
    unchanged: shared,
    isEpoch: shared < earlier.length,
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

/** Most equal messages are one object; one with the same id may have been stored again. */
function isSame(message: BaseMessage, other: BaseMessage | undefined): boolean {
  if (message === other) return true;
  if (other === undefined || message.id !== other.id || message.getType() !== other.getType()) return false;
  return foldOf(message)?.id === foldOf(other)?.id && message.text === other.text;
}

/** Tokens by part: of the estimator, scaled by what the provider was last found to count. */
function tokensByPart(
  context: readonly BaseMessage[],
  { overheadTokens = 0, tokenRatio = 1 }: CompactionState,
): readonly number[] {
  const sums = parts.map(() => 0);
  const add = (part: (typeof parts)[number], tokens: number): void => {
    const index = parts.indexOf(part);
    sums[index] = (sums[index] ?? 0) + tokens;
  };
  add("system", overheadTokens);
  for (const message of context) {
    const { part, tokens, reasoning } = partOf(message);
    add(part, (tokens - reasoning) * tokenRatio);
    add("reasoning", reasoning * tokenRatio);
  }
  return sums.map(Math.round);
}

function labelOf(message: BaseMessage): string {
  const calls = (message as { readonly tool_calls?: readonly { readonly name: string }[] }).tool_calls ?? [];
  const name = message.name === undefined ? message.getType() : `${message.getType()} ${message.name}`;
  const asked = calls.length === 0 ? "" : ` → ${calls.map((call) => call.name).join(", ")}`;
  return `${name}${asked}: ${message.text.slice(0, 120).replace(/\s+/gu, " ")}`;
}
