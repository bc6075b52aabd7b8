import type { BaseMessage } from "@langchain/core/messages";
import { alignedUnits } from "./aligned-units.js";
import { textCounter } from "./clip-tokens.js";
import { foldUnits, type FoldUnit } from "./fold-units.js";
import { macroMarkdown } from "./macro-markdown.js";
import { macroText } from "./macro-text.js";
import { stackUnits, type BlockMaking, type Stacked } from "./stack-units.js";
import { blockLine } from "./state-block.js";

export interface ConsolidateOptions extends BlockMaking {
  /** Id of the first block that is made; the one that is returned has the highest. */
  readonly id: number;
  /** The model's own summary. @default one that is taken from the texts of the blocks */
  readonly text?: string | undefined;
  /** Tokens of an automatic summary. */
  readonly macroTokens: number;
  readonly reason?: string | undefined;
  /** What a macro block records, read from the archive; a block without an answer is nested as it stands. */
  readonly recordOf: (unit: FoldUnit) => readonly BaseMessage[] | undefined;
}

/** A consolidation, with the blocks that were made inside its record. */
export interface Consolidated extends Stacked {
  readonly inside: readonly Stacked[];
}

/**
 * Returns one macro block in place of several units in a row: deep consolidation. Pure, calls no model.
 *
 * What is recorded is not the stack of blocks as they were merged but a balanced tree of the same steps: however often
 * a step was merged, the way to its original stays short. The lines that were replaced stand in the block's file.
 */
export function consolidate(units: readonly FoldUnit[], options: ConsolidateOptions): Consolidated {
  const { id, macroTokens, recordOf, ...making } = options;
  const count = textCounter(options.tokenCounter);
  const texts = units.flatMap(({ block }) => block?.text ?? []);
  const text = options.text ?? macroText(texts, { most: macroTokens, count, sought: options.sought });
  const parts = foldUnits(units.flatMap((unit) => recordOf(unit) ?? unit.messages));
  const { units: aligned, made } = alignedUnits(parts, { ...making, id, macroTokens });
  const replaced = units.flatMap(({ block }) => (block === undefined ? [] : [blockLine(block)]));
  const stacked = stackUnits(units, {
    ...making,
    scale: "macro",
    block: { id: id + made.length, text },
    record: aligned.flatMap(({ messages }) => messages),
    markdown: (record) => `${macroMarkdown(record)}\nIn place of:\n${replaced.join("\n")}\n`,
  });
  return { ...stacked, inside: made };
}
