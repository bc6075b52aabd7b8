import type { BaseMessage } from "@langchain/core/messages";
import { cutPoints, foldRules } from "../cuts/cut-rules.js";
import { carriedIds, foldsIn, isUserMessage } from "../folds/fold.js";
import { isAi, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { blocksOf, type StateBlock } from "./state-block.js";

/**
 * The messages between two neighbouring legal cuts, which stay together.
 *
 * `block`: a folded block with the messages it carries. `raw`: an unfolded interaction, one model message with its
 * results. `words`: user or system messages, which do not count as a step.
 */
export interface FoldUnit {
  readonly kind: "block" | "raw" | "words";
  readonly messages: readonly BaseMessage[];
  readonly startStep: number;
  /** Last step, inclusive. For `words`, the step before `startStep`. */
  readonly endStep: number;
  /** The newest block in the unit. */
  readonly block?: StateBlock;
}

/** Returns the units of a message list in order. Steps count from 1; a block records its own steps. Pure. */
export function foldUnits(messages: readonly BaseMessage[]): readonly FoldUnit[] {
  const points = cutPoints(messages, foldRules);
  const starts = points.filter((point) => point < messages.length);
  let step = 0;
  return starts.map((start, index) => {
    const unit = unitOf(messages.slice(start, starts[index + 1] ?? messages.length), step);
    step = Math.max(step, unit.endStep);
    return unit;
  });
}

function unitOf(messages: readonly BaseMessage[], step: number): FoldUnit {
  const blocks = blocksOf(messages);
  const block = blocks.at(-1);
  const carried = new Set(foldsIn(messages).flatMap(({ value }) => carriedIds(value)));
  const own = messages.filter((message) => message.id === undefined || !carried.has(message.id));
  const count = own.filter((message) => isAi(message)).length;
  if (block !== undefined && count === 0) {
    const startStep = Math.min(...blocks.map((one) => one.startStep));
    const endStep = Math.max(...blocks.map((one) => one.endStep));
    return { kind: "block", messages, startStep, endStep, block };
  }
  const startStep = step + 1;
  if (block === undefined && count === 0 && messages.every(isWords)) {
    return { kind: "words", messages, startStep, endStep: step };
  }
  // A late result joins its call with all messages since, which may include blocks.
  const inBlocks = blocks.reduce((sum, one) => sum + one.endStep - one.startStep + 1, 0);
  return { kind: "raw", messages, startStep, endStep: step + Math.max(1, count + inBlocks) };
}

function isWords(message: BaseMessage): boolean {
  return message.getType() === "system" || isUserMessage(message);
}

/**
 * Returns the interactions with a call whose result may still arrive. Pure.
 *
 * Folding such an interaction would remove the call before its late result. Calls before the newest user message are
 * considered abandoned.
 */
export function waitingUnits(units: readonly FoldUnit[]): ReadonlySet<FoldUnit> {
  const waiting = new Set<FoldUnit>();
  const answered = new Set<string>();
  for (const unit of units.toReversed()) {
    if (unit.kind === "words" && unit.messages.some((message) => message.getType() === "human")) break;
    for (const message of unit.messages) if (isToolResult(message)) answered.add(message.tool_call_id);
    const calls = unit.kind === "raw" ? unit.messages.flatMap(toolCalls) : [];
    if (calls.some(({ id }) => id !== undefined && !answered.has(id))) waiting.add(unit);
  }
  return waiting;
}

/**
 * Returns the number of consecutive newest blocks without progress, excluding the latest interaction. Pure.
 *
 * A step makes no progress when all its results are errors, or when an earlier block has the same calls or the same
 * results. A macro block ends the count.
 */
export function stalledSteps(units: readonly FoldUnit[]): number {
  const blocks = units.flatMap(({ block }) => block ?? []);
  let stalled = 0;
  for (let index = blocks.length - 1; index >= 0; index--, stalled++) {
    const block = blocks[index];
    if (block === undefined || block.scale === "macro" || block.calls === undefined) break;
    const before = blocks.slice(0, index);
    const again = before.some(({ calls, results }) => calls === block.calls || results === block.results);
    if (block.failed !== true && !again) break;
  }
  return stalled;
}
