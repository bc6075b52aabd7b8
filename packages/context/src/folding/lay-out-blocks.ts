import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, standIn } from "../folds/fold.js";
import type { FoldUnit } from "./fold-units.js";
import type { Goal } from "./goals.js";
import { blockLine, blockOf } from "./state-block.js";
import { blocksNotice } from "./workspace.js";

export interface LayOutOptions {
  /** Goals of the thread. Those that the model stated itself stand before the blocks: its message may be folded. */
  readonly goals?: readonly Goal[];
  /** Something to tell the model, after the last block. */
  readonly word?: string | undefined;
}

/**
 * Returns the messages of units, with the notice before the first block and a word to the model after the last one.
 *
 * A word that an earlier step left is taken away: the model is told once. Other blocks are passed on as they are. Pure.
 */
export function layOutBlocks(
  units: readonly FoldUnit[],
  { goals = [], word }: LayOutOptions = {},
): readonly BaseMessage[] {
  const stated = goals.filter(({ step, by = "model" }) => step > 0 && by === "model");
  const goalLines = stated.map(({ text, step }) => `[GOAL] as stated at step ${step}: ${text}`);
  const messages = units.flatMap((unit) => unit.messages);
  const first = messages.findIndex((message) => blockOf(message) !== undefined);
  const last = messages.findLastIndex((message) => blockOf(message) !== undefined);
  return messages.map((message, index) => {
    const block = blockOf(message);
    const fold = foldOf(message);
    if (block === undefined || fold === undefined) return message;
    const before = index === first ? [...goalLines, blocksNotice] : [];
    const after = index === last && word !== undefined ? [`(${word})`] : [];
    const content = [...before, blockLine(block), ...after].join("\n");
    return message.content === content ? message : standIn(message, fold, { content });
  });
}
