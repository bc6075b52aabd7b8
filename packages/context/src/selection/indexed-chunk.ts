import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import type { LineRole, MessageLine } from "../messages/message-lines.js";
import type { TokenCounter } from "../tokens/token-counter.js";

/** A file that calls have named. */
export interface FileState {
  /** Chunk of the last call that named it. */
  touched: number;
}

/** A word of identifiers and of what is said. */
export interface WordState {
  /** Chunks that hold it. */
  chunks: number;
  /** What it weighs where it was just said, else 0. Set while a selection is made. */
  said: number;
  /** Identifiers that are made of it. */
  holders: number;
}

/** A line that holds an atom. */
export interface Place {
  readonly chunk: IndexedChunk;
  readonly line: number;
}

export interface IndexedLine {
  readonly text: string;
  readonly role: LineRole;
  /** It goes on where the line before was cut. */
  readonly continues: boolean;
  /** It is the first of its message. */
  readonly starts: boolean;
  /** Numbers of the strings in it. Empty once it may not be chosen any more. */
  readonly atoms: readonly number[];
}

/** Consecutive lines of one message: chosen or left out as one. */
export interface Block {
  readonly chunk: IndexedChunk;
  readonly start: number;
  /** Behind the last line. */
  readonly end: number;
  /** Of its text, in the unit of the index. */
  readonly tokens: number;
  /** Numbers of the strings in it, each once. */
  readonly atoms: readonly number[];
}

/** A message of the model with its results, or one other message. */
export interface IndexedChunk {
  readonly index: number;
  /** Empty once none of them may be chosen any more. */
  lines: IndexedLine[];
  /** Those that may be chosen, in order. */
  blocks: Block[];
  /** Of its messages, in the unit of the index. */
  readonly tokens: number;
  /** Tokens of all chunks before it. */
  readonly before: number;
  /** Type of its first message. */
  readonly type: string;
  readonly calls: boolean;
  /** A provider refuses a cut before it. */
  joined: boolean;
  readonly pinned: boolean;
  /** How it begins, for a list of contents. */
  readonly title: string;
}

/** Lines of a block at most, and before a blank line ends it. */
const mostLines = 8;
const leastLines = 4;
/** Lines of an edit or a write that stay with its head: which tool, which file, and how its text begins. */
const headLines = 2;
/** Characters of a head at least: what stands between the two sides of an edit is none. */
const leastHead = 20;

/** Returns the lines of a chunk as blocks. A block lies in one message. Pure, O(characters). */
export function blocksOf(chunk: IndexedChunk, unit: TokenUnit): readonly Block[] {
  const { lines } = chunk;
  const blocks: Block[] = [];
  let start = 0;
  for (let end = 1; end <= lines.length; end++) {
    if (!endsBlock(lines, start, end)) continue;
    const tokens = unit.text(`${linesText(chunk, start, end)}\n`);
    blocks.push({ chunk, start, end, tokens, atoms: atomsOf(chunk, start, end) });
    start = end;
  }
  return blocks;
}

function endsBlock(lines: readonly IndexedLine[], start: number, end: number): boolean {
  const next = lines[end];
  if (next === undefined || next.starts || end - start >= mostLines) return true;
  if (lines[end - 1]?.text.trim() === "" && end - start >= leastLines) return true;
  const head = lines[end - headLines - 1];
  const side = lines[end - headLines];
  const isSide = side?.role === "old" || side?.role === "new";
  return isSide && end - start > headLines && head?.role === "argument" && head.text.length >= leastHead;
}

function atomsOf({ lines }: IndexedChunk, start: number, end: number): readonly number[] {
  return [...new Set(lines.slice(start, end).flatMap(({ atoms }) => atoms))];
}

/** Returns the text of a block as it stands in an excerpt. */
export function blockText({ chunk, start, end }: Block): string {
  return linesText(chunk, start, end);
}

/** Returns the lines of a chunk from `start` to before `end`; pieces of a line that was cut are put together again. */
export function linesText(
  chunk: { readonly lines: readonly Pick<MessageLine, "text" | "continues">[] },
  start: number,
  end: number,
): string {
  let text = "";
  for (let at = start; at < end; at++) {
    const line = chunk.lines[at];
    if (line === undefined) break;
    text += (at > start && !line.continues ? "\n" : "") + line.text;
  }
  return text;
}

/** Tokens of what stands around the chosen lines. */
export interface ExcerptCosts {
  /** Of the line that says where an excerpt comes from. */
  readonly header: number;
  /** Of the mark for lines left out inside an excerpt. */
  readonly gap: number;
  /** Of the head of a stand-in for a range of chunks. */
  readonly standIn: number;
}

/** The unit in which an index counts: that of a token counter, or tokens of four characters. */
export interface TokenUnit {
  readonly costs: ExcerptCosts;
  /** Returns the tokens of a text inside a message. */
  text(text: string): number;
  /** Returns the tokens of whole messages; undefined for the unit of characters, which counts their lines. */
  messages(messages: readonly BaseMessage[]): number | undefined;
}

const header = "[1200-3fa9c1:120]\n";
const gap = "⋮\n";
const standIn = "[steps 1200 to 1570: /context/steps/runs/1200-1570-3fa9c1.md]";

const fourCharacters: TokenUnit = {
  costs: { header: header.length / 4, gap: gap.length / 4, standIn: 17 },
  text: (text) => text.length / 4,
  messages: () => undefined,
};

/** Returns the unit of a counter; without one, tokens of four characters. */
export function tokenUnit(counter: TokenCounter | undefined): TokenUnit {
  if (counter === undefined) return fourCharacters;
  const around = counter([new HumanMessage("")]);
  const text = (one: string) => Math.max(0, counter([new HumanMessage(one)]) - around);
  return {
    costs: { header: text(header), gap: text(gap), standIn: counter([new HumanMessage(standIn)]) },
    text,
    messages: (messages) => counter(messages),
  };
}
