import type { BaseMessage } from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { foldOf, type Fold } from "@palimpsest/context";
import type { CompactionState } from "@palimpsest/langgraph";
import { speaker } from "../../shared/speaker.js";
import { parts, type CallView, type StepRow } from "../../view.js";
import { modelUsage } from "../add-usage.js";
import { isSame, type ContextChange } from "./context-change.js";
import { foldView } from "../message-view.js";
import { partOf } from "../part-of.js";

/** A checkpoint and the messages that the model is sent at it. */
export interface Snapshot {
  readonly tuple: CheckpointTuple;
  readonly context: readonly BaseMessage[];
  /** Tokens of the context by part, of the estimator, in the order of `parts`. */
  readonly tokens: readonly number[];
}

/**
 * Returns the row of a checkpoint. `before` is the previous one in time, undefined for the first; `change` is the difference
 * from it. Takes time in proportion to the change, not to the context.
 */
export function stepRow(
  { tuple, context, tokens }: Snapshot,
  before: Snapshot | undefined,
  { removed, added, unchanged }: ContextChange,
): StepRow {
  const earlier = before?.context ?? [];
  const newest = context.at(-1);
  const isNew = newest !== undefined && !isSame(newest, earlier.at(-1));
  const knownFolds = new Set(foldsOf(removed).map(({ id }) => id));
  const folds = foldsOf(added).filter(({ id }) => !knownFolds.has(id));
  const parent = tuple.parentConfig?.configurable?.["checkpoint_id"] as string | undefined;
  const scale = compactionOf(tuple);
  const whole = tokens.reduce((sum, part) => sum + part, 0);
  const changed = added.slice(unchanged - (context.length - added.length));
  return {
    id: tuple.checkpoint.id,
    step: typeof tuple.metadata?.step === "number" ? tuple.metadata.step : null,
    at: tuple.checkpoint.ts,
    tokens: tokens.map((sum, index) => scaled(sum, scale, parts[index] === "system")),
    messages: context.length,
    unchanged,
    unchangedTokens: before === undefined ? 0 : scaled(whole - tokensOf(changed), scale, true),
    isEpoch: unchanged < earlier.length,
    isBranch: before !== undefined && parent !== before.tuple.checkpoint.id,
    folds: folds.map(foldView),
    calls: callsIn({ added, removed, whole, scale }),
    label: isNew ? labelOf(newest) : "",
  };
}

interface CallsOptions extends Pick<ContextChange, "added" | "removed"> {
  /** Tokens of the context, of the estimator. */
  readonly whole: number;
  readonly scale: CompactionState;
}

/** Returns the calls whose replies were added. */
function callsIn({ added, removed, whole, scale }: CallsOptions): readonly CallView[] {
  const knownIds = new Set(removed.map(({ id }) => id));
  const calls: CallView[] = [];
  let before = whole - tokensOf(added);
  for (const message of added) {
    const { tokens } = partOf(message);
    const reported = knownIds.has(message.id) ? undefined : modelUsage(message);
    if (reported !== undefined) {
      const prompt = scaled(before, scale, true);
      const reply = scaled(tokens, scale, false);
      calls.push({
        id: message.id ?? null,
        reported,
        prompt,
        reply,
        isBare: scale.overheadTokens === undefined,
      });
    }
    before += tokens;
  }
  return calls;
}

function tokensOf(messages: readonly BaseMessage[]): number {
  return messages.reduce((sum, message) => sum + partOf(message).tokens, 0);
}

function foldsOf(messages: readonly BaseMessage[]): readonly Fold[] {
  return messages.flatMap((message) => foldOf(message) ?? []);
}

/** Returns what compaction remembers at a checkpoint. */
export function compactionOf({ checkpoint }: CheckpointTuple): CompactionState {
  return checkpoint.channel_values["compaction"] ?? {};
}

/** Returns tokens on the last known scale of the provider, on request with what is sent beside the messages. */
function scaled(
  tokens: number,
  { overheadTokens = 0, tokenRatio = 1 }: CompactionState,
  hasOverhead: boolean,
): number {
  return Math.round(tokens * tokenRatio + (hasOverhead ? overheadTokens : 0));
}

function labelOf(message: BaseMessage): string {
  const calls = (message as { readonly tool_calls?: readonly { readonly name: string }[] }).tool_calls ?? [];
  const who = speaker(message.getType());
  const name = message.name === undefined ? who : `${who} ${message.name}`;
  const asked = calls.length === 0 ? "" : ` → ${calls.map((call) => call.name).join(", ")}`;
  const label = `${name}${asked}: ${message.text.slice(0, 120).replace(/\s+/gu, " ")}`;
  // A copy: a slice of a string keeps the whole string in memory, and rows stay.
  return Buffer.from(label).toString();
}
