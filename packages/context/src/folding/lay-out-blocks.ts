import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, standIn } from "../folds/fold.js";
import { joinPlans } from "../plans/plan-list.js";
import type { FoldUnit } from "./fold-units.js";
import type { Goal } from "./goals.js";
import { blockLine, blockOf } from "./state-block.js";
import { blocksNotice } from "./workspace.js";

/** Line before the plan. */
const planNotice = "[PLAN] as it was written last in the steps above:";

export interface LayOutOptions {
  /** Goals of the thread. The model's own goals appear before the blocks, because the messages that state them may be folded. */
  readonly goals?: readonly Goal[];
  /** Notice to the model, after the last block. */
  readonly word?: string | undefined;
  /** Characters of the plan that stands behind the last block. @default 4,000 */
  readonly planCharacters?: number;
}

/**
 * Returns the messages of units, with `blocksNotice` before the first block, and after the last one the plan of the steps and `word`.
 *
 * Removes the `word` of an earlier step, so that the model sees it once. Passes other blocks on unchanged. Pure.
 */
export function layOutBlocks(
  units: readonly FoldUnit[],
  { goals = [], word, planCharacters }: LayOutOptions = {},
): readonly BaseMessage[] {
  const stated = goals.filter(({ step, by = "model" }) => step > 0 && by === "model");
  const goalLines = stated.map(({ text, step }) => `[GOAL] as stated at step ${step}: ${text}`);
  const messages = units.flatMap((unit) => unit.messages);
  const first = messages.findIndex((message) => blockOf(message) !== undefined);
  const last = messages.findLastIndex((message) => blockOf(message) !== undefined);
  const plan = joinPlans(
    messages.map((message) => blockOf(message)?.plan ?? []),
    planCharacters,
  );
  const planLines = plan.length === 0 ? [] : [planNotice, ...plan];
  return messages.map((message, index) => {
    const block = blockOf(message);
    const fold = foldOf(message);
    if (block === undefined || fold === undefined) return message;
    const before = index === first ? [...goalLines, blocksNotice] : [];
    const after = index === last ? [...planLines, ...(word === undefined ? [] : [`(${word})`])] : [];
    const content = [...before, blockLine(block), ...after].join("\n");
    return message.content === content ? message : standIn(message, fold, { content });
  });
}
