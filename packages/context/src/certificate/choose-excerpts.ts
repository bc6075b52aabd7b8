import type { BaseMessage } from "@langchain/core/messages";
import { inlineText, messageText } from "../messages/text.js";
import { filePathOf, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { reusableAtoms } from "../messages/line-atoms.js";
import { isSummary } from "../folds/fold.js";
import { parseSummary } from "../summary/summary.js";
import { finder } from "./certify.js";
import { coverGreedily, type Candidate } from "./cover-greedily.js";
import { probeOf } from "./must-keep.js";
import { type MustKeepAtom } from "../folds/rewrite.js";

/** Characters a token: code and paths have less than prose. */
const charactersPerToken = 3.5;
/** Lines that are chosen or left out as one, so that a line keeps some of what is around it. */
const blockLines = 4;
/** What a string that must be kept is worth, beside the likelihood that it is used again. */
const mustKeepWeight = 0.02;
/** Characters of a line; machine output can have lines of any length. */
const longestLine = 400;

/** A line of a message, and the strings of it that a later call may use. */
export interface ReadLine {
  readonly text: string;
  readonly atoms: readonly string[];
}

export interface ExcerptScores {
  /** How likely each string is to be used by a later call. */
  readonly likelihoods: Map<string, number>;
  /** The lines of each message that has any. */
  readonly lines: ReadonlyMap<BaseMessage, readonly ReadLine[]>;
}

/** Scores the strings of a context by how likely a later call uses them: `reuseOf` of `@palimpsest/context/selection`. */
export type ExcerptScorer = (messages: readonly BaseMessage[]) => ExcerptScores;

export interface ChooseExcerptsOptions {
  /** The whole context, of which `folded` is a part: what was used lately says what will be used next. */
  readonly messages: readonly BaseMessage[];
  /** What the model will see without excerpts. */
  readonly visible: string;
  /** Strings that must be kept: those not in `visible` come first. */
  readonly atoms: readonly MustKeepAtom[];
  /** Tokens that the excerpts may have. */
  readonly tokens: number;
  readonly scorer: ExcerptScorer;
}

/**
 * Returns lines of the folded messages to show word for word: those that hold most of what a later call is likely to use
 * and the model would not see otherwise, within a budget.
 *
 * Pure. Rules of the user, open errors and calls under way come first; then blocks of lines by what they add a token.
 * A string that is in sight once is paid for once, so repeats cost nothing.
 */
export function chooseExcerpts(
  folded: readonly BaseMessage[],
  { messages, visible, atoms, tokens, scorer }: ChooseExcerptsOptions,
): readonly string[] {
  const isSeen = finder(visible);
  const missing = atoms.filter((atom) => !isSeen(probeOf(atom)));
  let left = Math.floor(tokens * charactersPerToken);
  const first = missing
    .filter(({ kind }) => kind === "constraint" || kind === "error" || kind === "call")
    .map(({ text }) => inlineText(text, longestLine))
    .filter((line) => (left -= line.length + 3) >= 0);
  const { likelihoods: weights, lines } = scorer(messages);
  for (const { text } of missing) weights.set(text, (weights.get(text) ?? 0) + mustKeepWeight);
  for (const atom of atomsInSight(visible)) weights.delete(atom);
  const chosen = coverGreedily(candidates(folded, lines), weights, Math.max(0, left));
  return [...first, ...chosen.flatMap(({ lines }) => lines)];
}

/** The strings that a later call could take from what is in sight already. */
function atomsInSight(visible: string): readonly string[] {
  const lines = visible.split("\n").map((line) => line.replace(/^- /, ""));
  return lines.flatMap((text) => reusableAtoms({ text, role: "result", continues: false }));
}

function candidates(folded: readonly BaseMessage[], lines: ExcerptScores["lines"]): readonly Candidate[] {
  const paths = new Map<string, string>();
  return folded.flatMap((message, index) => {
    for (const call of toolCalls(message)) {
      const path = filePathOf(call);
      if (call.id !== undefined && path !== undefined) paths.set(call.id, path);
    }
    const path = isToolResult(message) ? paths.get(message.tool_call_id) : undefined;
    return blocksOf(linesOf(message, lines), { group: index, ...(path === undefined ? {} : { path }) });
  });
}

/** Of an earlier summary only its excerpts: the other sections are carried on as they are. */
function linesOf(message: BaseMessage, lines: ExcerptScores["lines"]): readonly ReadLine[] {
  if (!isSummary(message)) return lines.get(message) ?? [];
  const { excerpts = [] } = parseSummary(messageText(message)) ?? {};
  return excerpts.map((text) => ({ text, atoms: reusableAtoms({ text, role: "result", continues: false }) }));
}

interface Source {
  readonly group: number;
  readonly path?: string;
}

function blocksOf(lines: readonly ReadLine[], { group, path }: Source): readonly Candidate[] {
  const usable = lines.filter(({ text }) => text.trim() !== "" && text.length <= longestLine);
  const blocks: Candidate[] = [];
  for (let at = 0; at < usable.length; at += blockLines) {
    const block = usable.slice(at, at + blockLines);
    const texts = block.map(({ text }) => inlineText(text));
    blocks.push({
      group,
      heading: path === undefined ? "" : `From ${inlineText(path, 120)}:`,
      lines: texts,
      atoms: [...new Set(block.flatMap(({ atoms }) => atoms))],
      cost: texts.reduce((sum, text) => sum + text.length + 3, 0),
    });
  }
  return blocks;
}
