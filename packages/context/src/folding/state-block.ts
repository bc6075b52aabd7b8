import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, type FoldedBlock } from "../folds/fold.js";
import { historyMarkdown } from "../messages/history-markdown.js";
import { quote } from "../quotations/quoted-text.js";
import { findingSign } from "../summary/lines/block-findings.js";
import { countOf } from "../summary/user-lines.js";

/** A multi-scale state summary: a `micro` block replaces one interaction, a `macro` block several. */
export interface StateBlock extends FoldedBlock {
  readonly scale: "micro" | "macro";
}

/** Caches the block of each fold, because every step reads all blocks. */
const blockCache = new WeakMap<object, StateBlock>();

/** Returns the block of a message, or undefined. Reads metadata only, never text. */
export function blockOf(message: BaseMessage): StateBlock | undefined {
  const fold = foldOf(message);
  if (fold === undefined || (fold.kind !== "micro" && fold.kind !== "macro")) return undefined;
  const cached = blockCache.get(fold);
  if (cached !== undefined || !isBlock(fold.block)) return cached;
  const block = { ...fold.block, scale: fold.kind };
  blockCache.set(fold, block);
  return block;
}

function isBlock(value: unknown): value is FoldedBlock {
  const { id, startStep, endStep, text } = (value ?? {}) as Partial<FoldedBlock>;
  const numbers = [id, startStep, endStep].every((one) => Number.isSafeInteger(one));
  return numbers && typeof text === "string";
}

/** Returns the blocks in a context, oldest first. */
export function blocksOf(messages: readonly BaseMessage[]): readonly StateBlock[] {
  return messages.flatMap((message) => blockOf(message) ?? []);
}

/** Returns the line that the model reads: `[S12 steps 3-9] text`, followed by quoted lines and the user's lines of these steps. */
export function blockLine({
  id,
  startStep,
  endStep,
  text,
  findings = [],
  userLines = [],
}: FoldedBlock): string {
  const line = [`[S${id} steps ${startStep}-${endStep}] ${text}`, ...findings].join(findingSign);
  if (userLines.length === 0) return line;
  const said = userLines.map((one) => (countOf(one) === 0 ? quote(one) : one));
  return `${line} | The user said: ${said.join(" ")}`;
}

/** Returns the readable file of a macro block: the line of each block inside, with the path of its original. */
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
