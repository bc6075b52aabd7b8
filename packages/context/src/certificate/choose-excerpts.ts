import type { BaseMessage } from "@langchain/core/messages";
import { inlineText, messageText } from "../messages/text.js";
import { quotation, quote, sourcesOf, unquoted } from "../quotations/quoted-text.js";
import { reusableAtoms } from "../messages/line-atoms.js";
import { isSummary } from "../folds/fold.js";
import { isInstruction } from "../summary/lines/instructions.js";
import { parseSummary } from "../summary/summary.js";
import { finder } from "./certify.js";
import { coverGreedily, type Candidate } from "./cover-greedily.js";
import { probeOf } from "./must-keep.js";
import type { MustKeepAtom, MustKeepKind } from "../folds/rewrite.js";

/** Characters per token: lower than for prose, because excerpts are mostly code and paths. */
const charactersPerToken = 3.5;
/**
 * Lines in a block. Blocks are chosen whole, so that a line keeps a neighbour; a longer block spends more of the budget on lines that
 * no call uses.
 */
const blockLines = 2;
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
 * Pure. Rules of the user, open errors and open calls come first; then blocks of lines by added weight per character.
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
    .map(({ kind, text }) => shownAtom(kind, inlineText(text, maxLineCharacters)))
    .filter((line) => (left -= line.length + 3) >= 0);
  const { likelihoods: weights, lines } = scorer(messages);
  for (const { text } of missing) weights.set(text, (weights.get(text) ?? 0) + mustKeepWeight);
  for (const atom of visibleAtoms(visible)) weights.delete(atom);
  const chosen = coverGreedily(candidates(folded, lines), weights, Math.max(0, left));
  return [...first, ...chosen.flatMap(({ lines }) => lines)];
}

/** A rule is shown as a quotation of the user; errors and calls say themselves whose words they hold. */
function shownAtom(kind: MustKeepKind, text: string): string {
  return kind === "constraint" ? quotation({ source: "user", lines: [text] }) : text;
}

/** Returns the reusable strings of the visible text. */
function visibleAtoms(visible: string): readonly string[] {
  const lines = visible.split("\n").flatMap((line) => {
    const entry = line.replace(/^- /, "");
    return [line, entry, ...unquoted(entry)];
  });
  return lines.flatMap((text) => reusableAtoms({ text, role: "result", continues: false }));
}

function candidates(folded: readonly BaseMessage[], lines: ExcerptScores["lines"]): readonly Candidate[] {
  const sources = sourcesOf(folded);
  const quoted = folded.flatMap((message): readonly Quoted[] =>
    isSummary(message)
      ? earlierExcerpts(message)
      : [{ source: sources.get(message) ?? "", lines: lines.get(message) ?? [] }],
  );
  // The lines of a source stand together below one heading; those of the agent come first and need none.
  const names = [...new Set([agent, ...quoted.map(({ source }) => source)])];
  const blocks = quoted.flatMap((one) => blocksOf(one, names.indexOf(one.source)));
  return blocks.toSorted((a, b) => a.group - b.group);
}

interface Quoted {
  readonly source: string;
  readonly lines: readonly ReadLine[];
}

const agent = "agent";
/** Source of lines that an older stand-in shows without one. */
const unnamed = "earlier summary";

/** Returns the excerpts of an earlier summary by their sources; its other sections are carried over. */
function earlierExcerpts(summary: BaseMessage): readonly Quoted[] {
  const { excerpts = [] } = parseSummary(messageText(summary)) ?? {};
  const groups: { source: string; lines: ReadLine[] }[] = [];
  for (const entry of excerpts) {
    const [line] = /^“[^“”]*”$/.test(entry) ? unquoted(entry) : [];
    const isLine = line !== undefined || callLine.test(entry);
    if (/^[^“”]+:$/.test(entry)) groups.push({ source: entry.slice(0, -1), lines: [] });
    else if (isLine && groups.at(-1)?.source !== unnamed && groups.length > 0)
      groups.at(-1)?.lines.push(readLine(line ?? entry));
    else groups.push({ source: isLine ? agent : unnamed, lines: [readLine(line ?? entry)] });
  }
  return groups;
}

function readLine(text: string): ReadLine {
  return { text, atoms: reusableAtoms({ text, role: "result", continues: false }) };
}

/** A call with its arguments, as the agent made it: says itself what it is. */
const callLine = /^[\w-]+ \{.*[^:]$/;

/** Returns the lines as blocks of quotations, without those that instruct the agent. */
function blocksOf({ source, lines }: Quoted, group: number): readonly Candidate[] {
  const usable = lines.filter(
    ({ text }) => text.trim() !== "" && text.length <= maxLineCharacters && !isInstruction(text),
  );
  const blocks: Candidate[] = [];
  for (let at = 0; at < usable.length; at += blockLines) {
    const block = usable.slice(at, at + blockLines);
    const texts = block.map(({ text }) =>
      source === agent && callLine.test(text) ? inlineText(text) : quote(text),
    );
    blocks.push({
      group,
      heading: source === agent ? "" : `${source}:`,
      lines: texts,
      atoms: [...new Set(block.flatMap(({ atoms }) => atoms))],
      // The quotation marks are ours: they take nothing from the budget of the lines.
      cost: block.reduce((sum, { text }) => sum + inlineText(text).length + 3, 0),
    });
  }
  return blocks;
}
