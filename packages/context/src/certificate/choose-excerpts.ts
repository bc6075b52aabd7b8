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

/** Characters per token: lower than for prose, because excerpts are mostly code and paths. */
const charactersPerToken = 3.5;
/** Lines in a block. Blocks are chosen whole, so that each line keeps some context. */
const blockLines = 4;
/** Weight added to the reuse likelihood of a must-keep string. */
const mustKeepWeight = 0.02;
/** Maximum characters of a line; machine output can have lines of any length. */
const maxLineCharacters = 400;

/** A line of a message, with the strings in it that a later call may use. */
export interface ReadLine {
  readonly text: string;
  readonly atoms: readonly string[];
}

export interface ExcerptScores {
  /** Likelihood of each string to be used by a later call. */
  readonly likelihoods: Map<string, number>;
  /** Lines of each message that has any. */
  readonly lines: ReadonlyMap<BaseMessage, readonly ReadLine[]>;
}

/** Scores the strings of a context by the likelihood that a later call uses them: `reuseOf` of `@palimpsest/context/selection`. */
export type ExcerptScorer = (messages: readonly BaseMessage[]) => ExcerptScores;

export interface ChooseExcerptsOptions {
  /** The whole context, including `folded`: recent use predicts later use. */
  readonly messages: readonly BaseMessage[];
  /** Visible text of the context without excerpts. */
  readonly visible: string;
  /** Must-keep strings; those missing from `visible` have priority. */
  readonly atoms: readonly MustKeepAtom[];
  /** Maximum tokens of the excerpts. */
  readonly tokens: number;
  readonly scorer: ExcerptScorer;
}

/**
 * Returns lines of the folded messages to show verbatim, within a budget: those with the most strings that a later call
 * is likely to use and that are not visible otherwise.
 *
 * Pure. User constraints, open errors and open calls come first; then blocks of lines by added weight per character.
 * A string counts once, so a repeated line adds nothing.
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
    .map(({ text }) => inlineText(text, maxLineCharacters))
    .filter((line) => (left -= line.length + 3) >= 0);
  const { likelihoods: weights, lines } = scorer(messages);
  for (const { text } of missing) weights.set(text, (weights.get(text) ?? 0) + mustKeepWeight);
  for (const atom of visibleAtoms(visible)) weights.delete(atom);
  const chosen = coverGreedily(candidates(folded, lines), weights, Math.max(0, left));
  return [...first, ...chosen.flatMap(({ lines }) => lines)];
}

/** Returns the reusable strings of the visible text. */
function visibleAtoms(visible: string): readonly string[] {
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

/** Returns the lines of a message; of an earlier summary only its excerpts, because the other sections are carried over. */
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
  const usable = lines.filter(({ text }) => text.trim() !== "" && text.length <= maxLineCharacters);
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
