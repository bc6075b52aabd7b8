import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, type FoldedBlock } from "../folds/fold.js";
import { historyMarkdown } from "../messages/history-markdown.js";

/** One multi-scale state summary: a `micro` block stands for one interaction, a `macro` block for several. */
export interface StateBlock extends FoldedBlock {
  readonly scale: "micro" | "macro";
}

/** Blocks are looked at in every step: each is read once. */
const known = new WeakMap<object, StateBlock>();

/** Returns the block that a message stands for, or undefined. Reads metadata alone, never text. */
export function blockOf(message: BaseMessage): StateBlock | undefined {
  const fold = foldOf(message);
  if (fold === undefined || (fold.kind !== "micro" && fold.kind !== "macro")) return undefined;
  const seen = known.get(fold);
  if (seen !== undefined || !isBlock(fold.block)) return seen;
  const block = { ...fold.block, scale: fold.kind };
  known.set(fold, block);
  return block;
}

function isBlock(value: unknown): value is FoldedBlock {
  const { id, startStep, endStep, text } = (value ?? {}) as Partial<FoldedBlock>;
  const numbers = [id, startStep, endStep].every((one) => Number.isSafeInteger(one));
  return numbers && typeof text === "string";
}

/** Returns the blocks that stand in a context, oldest first. */
export function blocksOf(messages: readonly BaseMessage[]): readonly StateBlock[] {
  return messages.flatMap((message) => blockOf(message) ?? []);
}

/** Returns the line that the model reads: `[S12 steps 3-9] text`. */
export function blockLine({ id, startStep, endStep, text }: FoldedBlock): string {
  return `[S${id} steps ${startStep}-${endStep}] ${text}`;
}

/** Returns what the path of a macro block shows: a line with the path of its original for each block inside. */
export function macroMarkdown(record: readonly BaseMessage[]): string {
  return record.map(lineOf).join("\n");
}

function lineOf(message: BaseMessage): string {
  const block = blockOf(message);
  const path = foldOf(message)?.path;
  return block === undefined || path === undefined
    ? historyMarkdown([message])
    : `${blockLine(block)}\nOriginal: ${path}\n`;
}
