import type { BaseMessage } from "@langchain/core/messages";
import { isSummary } from "../folds/fold.js";
import { reusableAtoms } from "../messages/line-atoms.js";
import { inlineText, messageText } from "../messages/text.js";
import { quote, sourcesOf, unquoted } from "../quotations/quoted-text.js";
import { recordFinder } from "../quotations/record-lines.js";
import { isInstruction } from "../summary/lines/instructions.js";
import { parseSummary } from "../summary/summary.js";
import type { Candidate } from "./cover-greedily.js";

/**
 * Lines in a block. Blocks are chosen whole, so that a line keeps a neighbour; a longer block spends more of the budget on lines that
 * no call uses. A record is a block of its own.
 */
const blockLines = 2;
/** Maximum characters of a line; machine output can have lines of any length. */
export const maxLineCharacters = 400;

/** A line of a message, with the strings in it that a later call may use. */
export interface ReadLine {
  readonly text: string;
  readonly atoms: readonly string[];
}

interface QuotedLine extends ReadLine {
  /** Number of the record that it belongs to, or -1. */
  readonly record: number;
}

interface Quoted {
  readonly source: string;
  readonly lines: readonly QuotedLine[];
}

const agent = "agent";
/** Source of lines that an older stand-in shows without one. */
const unnamed = "earlier summary";

/**
 * Returns the blocks of lines that a summary of `folded` may quote, those of one source after each other. Blocks of an earlier
 * summary are among them. Pure.
 */
export function excerptCandidates(
  folded: readonly BaseMessage[],
  lines: ReadonlyMap<BaseMessage, readonly ReadLine[]>,
): readonly Candidate[] {
  const quoted = quotedLines(folded, lines);
  // The lines of a source stand together below one heading; those of the agent come first and need none.
  const names = [...new Set([agent, ...quoted.map(({ source }) => source)])];
  const blocks = quoted.flatMap((one) => blocksOf(one, names.indexOf(one.source)));
  return blocks.toSorted((a, b) => a.group - b.group);
}

function quotedLines(
  folded: readonly BaseMessage[],
  lines: ReadonlyMap<BaseMessage, readonly ReadLine[]>,
): readonly Quoted[] {
  const sources = sourcesOf(folded);
  const texts = new Map<string, (readonly string[])[]>();
  for (const message of folded) {
    const source = sources.get(message) ?? "";
    const own = texts.get(source) ?? [];
    own.push(textsOf(lines.get(message)));
    texts.set(source, own);
  }
  const finders = new Map(Array.from(texts, ([source, own]) => [source, recordFinder(own)]));
  return folded.flatMap((message): readonly Quoted[] => {
    if (isSummary(message)) return earlierExcerpts(message);
    const source = sources.get(message) ?? "";
    const own = lines.get(message) ?? [];
    const records = finders.get(source)?.(textsOf(own)) ?? [];
    return [{ source, lines: own.map((line, at) => ({ ...line, record: records[at] ?? -1 })) }];
  });
}

function textsOf(lines: readonly ReadLine[] = []): readonly string[] {
  return lines.map(({ text }) => text);
}

/** Returns the excerpts of an earlier summary by their sources; its other sections are carried over. */
function earlierExcerpts(summary: BaseMessage): readonly Quoted[] {
  const { excerpts = [] } = parseSummary(messageText(summary)) ?? {};
  const groups: { source: string; lines: QuotedLine[] }[] = [];
  excerpts.forEach((entry, at) => {
    const quoted = /^(?:“[^“”]*” ?)+$/.test(entry) ? unquoted(entry) : [];
    const isLine = quoted.length > 0 || callLine.test(entry);
    const texts = quoted.length > 0 ? quoted : [entry];
    const lines = texts.map((text) => readLine(text, texts.length > 1 ? at : -1));
    if (/^[^“”]+:$/.test(entry)) groups.push({ source: entry.slice(0, -1), lines: [] });
    else if (isLine && groups.at(-1)?.source !== unnamed && groups.length > 0)
      groups.at(-1)?.lines.push(...lines);
    else groups.push({ source: isLine ? agent : unnamed, lines });
  });
  return groups;
}

function readLine(text: string, record: number): QuotedLine {
  return { text, record, atoms: reusableAtoms({ text, role: "result", continues: false }) };
}

/** A call with its arguments, as the agent made it: says itself what it is. */
const callLine = /^[\w-]+ \{.*[^:]$/;

/** Returns the lines as blocks of quotations, without those that instruct the agent. */
function blocksOf({ source, lines }: Quoted, group: number): readonly Candidate[] {
  const usable = lines.filter(
    ({ text }) => text.trim() !== "" && text.length <= maxLineCharacters && !isInstruction(text),
  );
  const blocks: Candidate[] = [];
  for (let at = 0; at < usable.length;) {
    const end = endOfBlock(usable, at);
    blocks.push(blockOf(source, usable.slice(at, end), group));
    at = end;
  }
  return blocks;
}

function endOfBlock(lines: readonly QuotedLine[], start: number): number {
  const record = lines[start]?.record ?? -1;
  const most = record < 0 ? blockLines : Infinity;
  let end = start + 1;
  while (end < lines.length && end - start < most && lines[end]?.record === record) end++;
  return end;
}

function blockOf(source: string, lines: readonly QuotedLine[], group: number): Candidate {
  const texts = lines.map(({ text }) =>
    source === agent && callLine.test(text) ? inlineText(text) : quote(text),
  );
  // What the agent writes follows a call, which has an entry of its own.
  const isRecord = source !== agent && lines[0] !== undefined && lines[0].record >= 0;
  return {
    group,
    heading: source === agent ? "" : `${source}:`,
    // A record is one entry, so that the next summary still knows what belongs together.
    lines: isRecord ? [texts.join(" ")] : texts,
    atoms: [...new Set(lines.flatMap(({ atoms }) => atoms))],
    // The quotation marks are ours: they take nothing from the budget of the lines.
    cost: lines.reduce((sum, { text }) => sum + inlineText(text).length + 3, 0),
  };
}
