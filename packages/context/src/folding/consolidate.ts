import type { BaseMessage } from "@langchain/core/messages";
import { macroText, textCounter } from "./block-text.js";
import { foldUnits, type FoldUnit } from "./fold-units.js";
import { stackUnits, type BlockMaking, type Stacked } from "./stack-units.js";
import { blockLine, macroMarkdown } from "./state-block.js";

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

/** Steps of the smallest block inside a record; each larger one has 8 times as many. */
const width = 8;

export interface AlignOptions extends BlockMaking {
  /** Id of the first block that is made. */
  readonly id: number;
  /** Tokens of a block's text. */
  readonly macroTokens: number;
}

export interface Aligned {
  readonly units: readonly FoldUnit[];
  /** What was made on the way, innermost first. */
  readonly made: readonly Stacked[];
}

/**
 * Returns units with every run of 8, 64, 512, … steps that starts at a multiple of its length as one block.
 *
 * So the records of blocks form one balanced tree, whichever blocks the model chose to merge and how often: a record
 * is short, and the way down to a step is too. Never leaves a single block, which would be a level for nothing. Pure.
 */
export function alignedUnits(
  units: readonly FoldUnit[],
  { id, macroTokens, ...making }: AlignOptions,
): Aligned {
  const count = textCounter(making.tokenCounter);
  const last = Math.max(0, ...units.map(({ endStep }) => endStep));
  let current = units;
  let made: readonly Stacked[] = [];
  for (let length = width; length <= last; length *= width) {
    const next: FoldUnit[] = [];
    const level: Stacked[] = [];
    for (const group of groupsOf(current, length)) {
      if (group.filter(({ kind }) => kind !== "words").length < 2) {
        next.push(...group);
        continue;
      }
      const texts = group.flatMap(({ block }) => block?.text ?? []);
      const text = macroText(texts, { most: macroTokens, count, sought: making.sought });
      const block = { id: id + made.length + level.length, text };
      const stacked = stackUnits(group, { ...making, scale: "macro", block, markdown: macroMarkdown });
      level.push(stacked);
      next.push(stacked.unit);
    }
    if (next.filter(({ kind }) => kind !== "words").length < 2) break;
    current = next;
    made = [...made, ...level];
  }
  return { units: current, made };
}

/** Parts units into those that fill a stretch of `length` steps exactly, and single ones. */
function groupsOf(units: readonly FoldUnit[], length: number): readonly (readonly FoldUnit[])[] {
  const groups: (readonly FoldUnit[])[] = [];
  for (let at = 0; at < units.length;) {
    const end = endOfStretch(units, at, length);
    groups.push(units.slice(at, end));
    at = end;
  }
  return groups;
}

/** Index behind the units that fill the stretch which starts at `at`, or behind that unit where they do not. */
function endOfStretch(units: readonly FoldUnit[], at: number, length: number): number {
  const first = units[at];
  if (first === undefined || first.kind === "words" || (first.startStep - 1) % length !== 0) return at + 1;
  const lastStep = first.startStep + length - 1;
  let expected = first.startStep;
  for (let index = at; index < units.length; index++) {
    const { kind, startStep, endStep } = units[index] as FoldUnit;
    if (kind === "words") continue;
    if (startStep !== expected || endStep > lastStep) return at + 1;
    if (endStep === lastStep) return index + 1;
    expected = endStep + 1;
  }
  return at + 1;
}
