import type { BaseMessage } from "@langchain/core/messages";
import { isToolResult } from "../../messages/tool-calls.js";
import { entriesOf, linesOfEntry, type SourcedLine } from "../../quotations/sourced-lines.js";
import { chooseFindings, findingsIn, formOf } from "./findings.js";

/** Share of a block's tokens for quoted lines of its steps. */
const findingShare = 0.5;
/** Characters of a token, for a first try at a number of tokens. */
const charactersPerToken = 4;

/** Size of a block. */
export interface BlockRoom {
  /** Tokens of the block's text and findings together. */
  readonly maxTokens: number;
  readonly count: (text: string) => number;
}

/** Stands before each entry of a block's findings. */
export const findingSign = " | ";

/** Returns the tokens of the findings of a block, with the signs before them. */
export function findingTokens(entries: readonly string[], count: BlockRoom["count"]): number {
  return entries.length === 0 ? 0 : count(["", ...entries].join(findingSign));
}

/** Quoted lines of one step, as entries of a summary: `open (a.ts): “first line” “second line”`. */
export interface StepFindings {
  /** Those below together, in their order. */
  readonly all: readonly string[];
  /** Lines with a newer value of what an earlier block shows. */
  readonly updates: readonly string[];
  readonly others: readonly string[];
}

export const noFindings: StepFindings = { all: [], updates: [], others: [] };

/** The quoted lines of earlier blocks, as entries. */
export interface EarlierFindings {
  /** Those that the model reads. */
  readonly shown: readonly string[];
  readonly spare: readonly string[];
}

/**
 * Returns the lines of a step that its block keeps, within half of the block's tokens: newer values of what earlier blocks keep,
 * then the findings that a summary would choose. A step without results has those of its reply. Pure.
 */
export function findingsOfStep(
  messages: readonly BaseMessage[],
  { shown, spare, ...room }: BlockRoom & EarlierFindings,
): StepFindings {
  const found = findingsIn(messages);
  const results = found.filter(({ message }) => isToolResult(message));
  const candidates: readonly SourcedLine[] = results.length > 0 ? results : found;
  const lists = listForms(candidates);
  const isNewer = newerThan([...shown, ...spare], lists);
  const known = new Set(candidates.filter(isNewer));
  const newer = fitting([...known], [], room);
  const others = candidates.filter((one) => !known.has(one));
  const all = new Set(fitting(others, newer, room));
  const chosen = candidates.filter((one) => all.has(one));
  const isUpdate = newerThan(shown, lists);
  return {
    all: entriesOf(chosen),
    updates: entriesOf(chosen.filter(isUpdate)),
    others: entriesOf(chosen.filter((one) => !isUpdate(one))),
  };
}

/**
 * Returns the lines that a block quotes in the place of several blocks, within half of its tokens. Leaves out each line whose
 * newer value stands in the `later` entries of the blocks behind it, whether they show it or not. Pure.
 */
export function mergedFindings(
  merged: readonly string[],
  { later, ...room }: BlockRoom & { readonly later: readonly string[] },
): readonly string[] {
  const forms = formsOf(linesIn(later));
  const candidates = merged.flatMap(linesOfEntry).filter(({ line }) => !forms.has(formOf(line)));
  return entriesOf(fitting(candidates, [], room));
}

/** Returns the forms that several lines of a step have: rows of a list, of which none supersedes another. */
function listForms(found: readonly SourcedLine[]): ReadonlySet<string> {
  const once = new Set<string>();
  return new Set(
    [...new Set(found.map(({ line }) => line))]
      .map(formOf)
      .filter((form) => once.size === once.add(form).size),
  );
}

/** Returns a function that tells a newer value of a line among the entries. */
function newerThan(entries: readonly string[], lists: ReadonlySet<string>): (found: SourcedLine) => boolean {
  const lines = new Set(linesIn(entries));
  const forms = formsOf([...lines]);
  return ({ line }) => !lines.has(line) && forms.has(formOf(line)) && !lists.has(formOf(line));
}

function linesIn(entries: readonly string[]): readonly string[] {
  return entries.flatMap(linesOfEntry).map(({ line }) => line);
}

/** Returns the forms of the lines with a value. */
function formsOf(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.filter((line) => /\d/.test(line)).map(formOf));
}

/** Returns `first` and the findings among the candidates that fit beside them. */
function fitting<Line extends SourcedLine>(
  candidates: readonly Line[],
  first: readonly Line[],
  { maxTokens, count }: BlockRoom,
): readonly Line[] {
  const most = Math.floor(maxTokens * findingShare);
  let characters = (most - findingTokens(entriesOf(first), count)) * charactersPerToken;
  while (characters > 0 && candidates.length > 0) {
    const chosen = [...first, ...chooseFindings(candidates, characters)];
    const tokens = findingTokens(entriesOf(chosen), count);
    if (tokens <= most) return chosen;
    characters = Math.min(characters - 1, Math.floor((characters * most) / tokens));
  }
  return first;
}
