import type { BaseMessage } from "@langchain/core/messages";
import { cutPoints } from "../cut-points.js";
import { foldRules } from "../cut-rules.js";
import { isSummary } from "../plan-summary.js";
import { isAi } from "../tool-calls.js";
import { blocksOf, type StateBlock } from "./state-block.js";

/**
 * Messages that stay together: what lies between two legal cuts.
 *
 * `block`: a stand-in, with the messages that were carried over it. `raw`: an interaction as it happened, one of the
 * model's messages with its results. `words`: messages of the user or the system, which are no step.
 */
export interface FoldUnit {
  readonly kind: "block" | "raw" | "words";
  readonly messages: readonly BaseMessage[];
  readonly startStep: number;
  /** Last step, included. For `words` the step before `startStep`. */
  readonly endStep: number;
  /** The block that stands here; of several the newest. */
  readonly block?: StateBlock;
}

/** Returns the units of a list in order. Steps are counted from 1; a block says itself which it stands for. Pure. */
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
  if (block !== undefined) {
    const startStep = Math.min(...blocks.map((one) => one.startStep));
    const endStep = Math.max(...blocks.map((one) => one.endStep));
    return { kind: "block", messages, startStep, endStep, block };
  }
  const count = messages.filter((message) => isAi(message)).length;
  const startStep = step + 1;
  if (count === 0 && messages.every(isWords)) return { kind: "words", messages, startStep, endStep: step };
  return { kind: "raw", messages, startStep, endStep: step + Math.max(1, count) };
}

/** A stand-in for several messages speaks for them, not for the user. */
function isWords(message: BaseMessage): boolean {
  const type = message.getType();
  return type === "system" || (type === "human" && !isSummary(message));
}
