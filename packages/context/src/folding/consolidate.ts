import type { BaseMessage } from "@langchain/core/messages";
import type { FoldedBlock } from "../folds/fold.js";
import { findingTokens, mergedFindings } from "../summary/lines/block-findings.js";
import { macroText, textCounter } from "./block-text.js";
import { foldUnits, type FoldUnit } from "./fold-units.js";
import { stackUnits, type BlockOptions, type Stacked } from "./stack-units.js";
import { blockLine, macroMarkdown } from "./state-block.js";

export interface ConsolidateOptions extends BlockOptions {
  /** Id of the first new block; the returned block has the highest. */
  readonly id: number;
  /** The agent's own summary. @default an automatic summary of the block texts */
  readonly text?: string | undefined;
  /** Maximum tokens of an automatic summary. */
  readonly macroTokens: number;
  readonly reason?: string | undefined;
  /** Quoted lines of the blocks after the units, for an automatic summary: it leaves out what they say newer. @default none */
  readonly later?: readonly string[];
  /** Returns the record of a macro block from the archive; a block without a record is nested as it is. */
  readonly recordOf: (unit: FoldUnit) => readonly BaseMessage[] | undefined;
}

/** A consolidation, with the new blocks inside its record. */
export interface Consolidated extends Stacked {
  readonly inside: readonly Stacked[];
}

/**
 * Returns one macro block that replaces several consecutive units: deep consolidation. Pure, calls no model.
 *
 * Records the steps as a balanced tree instead of nested merges, so that the path to an original stays short regardless of how
 * often a step is merged. The file of the block lists the replaced lines.
 */
export function consolidate(units: readonly FoldUnit[], options: ConsolidateOptions): Consolidated {
  const { id, macroTokens, recordOf, later = [], text, ...blockOptions } = options;
  const summary = text === undefined ? merged(units, { ...options, later }) : { text };
  const parts = foldUnits(units.flatMap((unit) => recordOf(unit) ?? unit.messages));
  const { units: aligned, blocks: inside } = alignedUnits(parts, { ...blockOptions, id, macroTokens });
  const replaced = units.flatMap(({ block }) => (block === undefined ? [] : [blockLine(block)]));
  const stacked = stackUnits(units, {
    ...blockOptions,
    scale: "macro",
    block: { id: id + inside.length, ...summary },
    record: aligned.flatMap(({ messages }) => messages),
    markdown: (record) => `${macroMarkdown(record)}\nIn place of:\n${replaced.join("\n")}\n`,
  });
  return { ...stacked, inside };
}

interface MergedOptions extends BlockOptions {
  readonly macroTokens: number;
  readonly later: readonly string[];
}

/** Returns the automatic summary of several blocks: their quoted lines within half of its tokens, and their texts in the rest. */
function merged(
  units: readonly FoldUnit[],
  { macroTokens, later, tokenCounter, goalWords }: MergedOptions,
): Pick<FoldedBlock, "text" | "findings"> {
  const count = textCounter(tokenCounter);
  const findings = mergedFindings(quotedIn(units), { maxTokens: macroTokens, count, later });
  const maxTokens = macroTokens - findingTokens(findings, count);
  const texts = units.flatMap(({ block }) => block?.text ?? []);
  const text = macroText(texts, { maxTokens, count, goalWords });
  return { text, ...(findings.length === 0 ? {} : { findings }) };
}

/** Returns the quoted lines of the blocks of units, with those that wait for a merge. */
export function quotedIn(units: readonly FoldUnit[]): readonly string[] {
  return units.flatMap(({ block }) => [...(block?.findings ?? []), ...(block?.spareFindings ?? [])]);
}

/** Steps of the smallest block inside a record; each larger size has 8 times as many. */
const width = 8;

export interface AlignOptions extends BlockOptions {
  /** Id of the first new block. */
  readonly id: number;
  /** Maximum tokens of a block's text. */
  readonly macroTokens: number;
}

export interface Aligned {
  readonly units: readonly FoldUnit[];
  /** New blocks, innermost first. */
  readonly blocks: readonly Stacked[];
}

/**
 * Merges every run of 8, 64, 512, … steps that starts at a multiple of its length into one block.
 *
 * The records of blocks then form one balanced tree, regardless of the merges that the model chose: records and the path
 * down to a step stay short. Stops before a single block is left, because that level would have one child. Pure.
 */
function alignedUnits(
  units: readonly FoldUnit[],
  { id, macroTokens, ...blockOptions }: AlignOptions,
): Aligned {
  const last = Math.max(0, ...units.map(({ endStep }) => endStep));
  let current = units;
  let blocks: readonly Stacked[] = [];
  for (let length = width; length <= last; length *= width) {
    const next: FoldUnit[] = [];
    const level: Stacked[] = [];
    for (const group of groupsOf(current, length)) {
      if (group.filter(({ kind }) => kind !== "words").length < 2) {
        next.push(...group);
        continue;
      }
      const summary = merged(group, { ...blockOptions, macroTokens, later: [] });
      const block = { id: id + blocks.length + level.length, ...summary };
      const stacked = stackUnits(group, { ...blockOptions, scale: "macro", block, markdown: macroMarkdown });
      level.push(stacked);
      next.push(stacked.unit);
    }
    if (next.filter(({ kind }) => kind !== "words").length < 2) break;
    current = next;
    blocks = [...blocks, ...level];
  }
  return { units: current, blocks };
}

/** Groups units that fill an aligned stretch of `length` steps exactly; every other unit is a group of its own. */
function groupsOf(units: readonly FoldUnit[], length: number): readonly (readonly FoldUnit[])[] {
  const groups: (readonly FoldUnit[])[] = [];
  for (let at = 0; at < units.length;) {
    const end = endOfStretch(units, at, length);
    groups.push(units.slice(at, end));
    at = end;
  }
  return groups;
}

/** Returns the end index of the units that fill the stretch at `at`, or `at + 1` when they do not fill it. */
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
