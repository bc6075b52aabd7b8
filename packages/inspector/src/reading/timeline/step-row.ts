import type { BaseMessage } from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { foldOf, type Fold } from "@palimpsest/context";
import { isAi } from "@palimpsest/context/internal";
import type { CompactionState } from "@palimpsest/langgraph";
import { speaker } from "../../shared/speaker.js";
import { parts, type CallView, type FaultView, type StepRow } from "../../view.js";
import { modelUsage } from "../add-usage.js";
import { addTokens, isSame, type ContextChange } from "./context-change.js";
import { foldView, isFailed } from "../message-view.js";
import { partOf } from "../part-of.js";

/** A checkpoint and the messages that the model is sent at it. */
export interface Snapshot {
  readonly tuple: CheckpointTuple;
  readonly context: readonly BaseMessage[];
  /** Tokens of the context by part, of the estimator, in the order of `parts`. */
  readonly tokens: readonly number[];
}

/**
 * Returns the row of a checkpoint. `before` is its parent, undefined for the first; `change` is the difference from it. Takes
 * time in proportion to the change, not to the context.
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
  const scale = compactionOf(tuple);
  const whole = sumOf(tokens);
  const changed = added.slice(unchanged - (context.length - added.length));
  return {
    id: tuple.checkpoint.id,
    step: stepOf(tuple),
    at: tuple.checkpoint.ts,
    tokens: tokens.map((sum, index) => scaled(sum, scale, parts[index] === "system")),
    messages: context.length,
    unchanged,
    unchangedTokens: before === undefined ? 0 : scaled(whole - tokensOf(changed), scale, true),
    isEpoch: unchanged < earlier.length,
    folds: folds.map(foldView),
    opened: openedFolds(removed, added),
    faults: [...faultsIn(added, removed), ...failedRungs(tuple, before)],
    // Whoever else writes messages, such as an input or an update of the state, calls no model.
    calls: tuple.metadata?.source === "loop" ? callsIn({ context, tokens, added, removed, scale }) : [],
    label: isNew ? labelOf(newest) : "",
  };
}

function stepOf({ metadata }: CheckpointTuple): number | null {
  return typeof metadata?.step === "number" ? metadata.step : null;
}

interface CallsOptions
  extends Pick<ContextChange, "added" | "removed">, Pick<Snapshot, "context" | "tokens"> {
  readonly scale: CompactionState;
}

/** Returns the calls whose replies were added. */
function callsIn({ context, tokens, added, removed, scale }: CallsOptions): readonly CallView[] {
  const knownIds = new Set(removed.map(({ id }) => id));
  const first = context.length - added.length;
  return added.flatMap((message, at): readonly CallView[] => {
    if (!isAi(message) || knownIds.has(message.id) || foldOf(message) !== undefined) return [];
    const counted = addTokens(tokens, [], added.slice(at));
    const reported = modelUsage(message) ?? null;
    const prompt = scaled(sumOf(counted), scale, true);
    const call = { id: message.id ?? null, sent: first + at, reported, prompt };
    const isBare = scale.overheadTokens === undefined;
    const reply = scaled(partOf(message).tokens, scale, false);
    const tokensOfParts = partsOfPrompt(counted, scale, reported?.input);
    const ofMessages = sumOf(counted) - (counted[systemAt] ?? 0);
    return [{ ...call, isBare, reply, counted: ofMessages, tokens: tokensOfParts }];
  });
}

/**
 * Returns the tokens of a prompt by part, so that they add up to what the model reported. What it reported beyond the messages,
 * where no step has measured what is sent beside them, is the system prompt and the tools.
 */
function partsOfPrompt(
  counted: readonly number[],
  scale: CompactionState,
  reported: number | undefined,
): readonly number[] {
  const tokens = counted.map((sum, index) => scaled(sum, scale, index === systemAt));
  const sum = sumOf(tokens);
  if (reported === undefined || sum === 0) return tokens;
  if (scale.overheadTokens === undefined && reported > sum)
    return tokens.map((one, index) => (index === systemAt ? one + reported - sum : one));
  return rounded(
    tokens.map((one) => (one * reported) / sum),
    reported,
  );
}

/** Rounds parts to whole numbers that add up to `sum`. */
function rounded(tokens: readonly number[], sum: number): readonly number[] {
  let [exact, done] = [0, 0];
  return tokens.map((one) => {
    exact += one;
    const whole = Math.min(sum, Math.round(exact)) - done;
    done += whole;
    return whole;
  });
}

const systemAt = parts.indexOf("system");

function sumOf(tokens: readonly number[]): number {
  return tokens.reduce((sum, part) => sum + part, 0);
}

/** Returns the folds whose originals a checkpoint put back. A selection of the context shows and hides steps all the time. */
function openedFolds(removed: readonly BaseMessage[], added: readonly BaseMessage[]): readonly string[] {
  const come = new Map(added.map((message) => [message.id, message]));
  const kept = new Set(foldsOf(added).map(({ id }) => id));
  return removed.flatMap((message) => {
    const fold = foldOf(message);
    if (fold === undefined || fold.kind === "chunk" || kept.has(fold.id)) return [];
    const isBack = fold.covers.some((id) => {
      const original = come.get(id);
      return original !== undefined && (id !== message.id || foldOf(original) === undefined);
    });
    return isBack ? [fold.id] : [];
  });
}

function faultsIn(added: readonly BaseMessage[], removed: readonly BaseMessage[]): readonly FaultView[] {
  const knownIds = new Set(removed.map(({ id }) => id));
  return added.flatMap((message) =>
    isFailed(message) && !knownIds.has(message.id)
      ? [{ what: "tool", message: message.id ?? null, text: labelOf(message) }]
      : [],
  );
}

/** Returns what compaction noted as failed, beyond what its checkpoint before had noted. */
function failedRungs(tuple: CheckpointTuple, before: Snapshot | undefined): readonly FaultView[] {
  const known = before === undefined ? [] : (compactionOf(before.tuple).failures ?? []);
  const failed = compactionOf(tuple).failures ?? [];
  return failed.flatMap(({ rung, next, text, after }) =>
    known.some((one) => one.after === after && one.rung === rung && one.text === text)
      ? []
      : [{ what: rung, message: null, text: next === "none" ? text : `${text} (then: ${next})` }],
  );
}

function tokensOf(messages: readonly BaseMessage[]): number {
  return messages.reduce((sum, message) => sum + partOf(message).tokens, 0);
}

function foldsOf(messages: readonly BaseMessage[]): readonly Fold[] {
  return messages.flatMap((message) => foldOf(message) ?? []);
}

/** Returns the id of the checkpoint before; undefined for the first. */
export function parentOf({ parentConfig }: CheckpointTuple): string | undefined {
  return parentConfig?.configurable?.["checkpoint_id"] as string | undefined;
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
