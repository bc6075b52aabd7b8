import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import type { LineRole, MessageLine } from "../messages/message-lines.js";
import type { TokenCounter } from "../tokens/token-counter.js";

/** A file that occurs in call arguments. */
export interface FileState {
  /** Index of the newest chunk with a call on it. */
  touched: number;
}

/** A word of identifiers and of message text. */
export interface WordState {
  /** Number of chunks that contain it. */
  chunks: number;
  /** Weight when recent text contains it, else 0. Set during scoring only. */
  said: number;
  /** Number of identifiers that contain it. */
  holders: number;
}

/** A line of a chunk as one number, which takes less memory than an object. */
export type Place = number;

/** Maximum lines of a chunk that places tell apart. */
const maxPlaceLines = 2 ** 24;

export function placeOf(chunk: IndexedChunk, line: number): Place {
  return chunk.index * maxPlaceLines + Math.min(line, maxPlaceLines - 1);
}

/** Returns the index of the chunk of a place, and its line. */
export function chunkOfPlace(place: Place): number {
  return Math.floor(place / maxPlaceLines);
}

export function lineOfPlace(place: Place): number {
  return place % maxPlaceLines;
}

export interface IndexedLine {
  readonly text: string;
  readonly role: LineRole;
  /** True for the continuation of a line that was cut. */
  readonly continues: boolean;
  /** True for the first line of a message. */
  readonly starts: boolean;
  /** Numbers of the strings in it. Empty once pruned. */
  readonly atoms: readonly number[];
}

/** Consecutive lines of one message, selected as a whole. */
export interface Block {
  readonly chunk: IndexedChunk;
  readonly start: number;
  /** Index after the last line. */
  readonly end: number;
  /** Tokens of its text, in the unit of the index. */
  readonly tokens: number;
  /** Distinct numbers of the strings in it. */
  readonly atoms: readonly number[];
}

/** A model message with its results, or one other message. */
export interface IndexedChunk {
  readonly index: number;
  /** Empty once all blocks are pruned. */
  lines: IndexedLine[];
  /** Candidate blocks, in order. */
  blocks: Block[];
  /** Tokens of its messages, in the unit of the index. */
  readonly tokens: number;
  /** Tokens of all chunks before it. */
  readonly before: number;
  /** Type of its first message; "" where that stands for others. */
  readonly type: string;
  readonly calls: boolean;
  /** True when providers reject a cut before this chunk. */
  joined: boolean;
  readonly pinned: boolean;
  /** Its first line, for a table of contents. */
  readonly title: string;
}

/** Maximum lines of a block, and the minimum before a blank line ends it. */
const maxLines = 8;
const minLines = 4;
/** Lines of an edit's text that stay with its head (tool and file). */
const headLines = 2;
/** Minimum characters of a head, which excludes the separator between the two sides of an edit. */
const minHead = 20;

/** Splits the lines of a chunk into blocks. A block never spans messages. Pure, O(characters). */
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
  if (next === undefined || next.starts || end - start >= maxLines) return true;
  if (lines[end - 1]?.text.trim() === "" && end - start >= minLines) return true;
  const head = lines[end - headLines - 1];
  const side = lines[end - headLines];
  const isSide = side?.role === "old" || side?.role === "new";
  return isSide && end - start > headLines && head?.role === "argument" && head.text.length >= minHead;
}

function atomsOf({ lines }: IndexedChunk, start: number, end: number): readonly number[] {
  const found = new Set<number>();
  for (let at = start; at < end; at++) for (const number of lines[at]?.atoms ?? []) found.add(number);
  return [...found];
}

/** Returns the text of a block in an excerpt. */
export function blockText({ chunk, start, end }: Block): string {
  return linesText(chunk, start, end);
}

/** Returns the lines of a chunk from `start` to `end`, exclusive; rejoins the pieces of cut lines. */
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

/** Token overhead of the text around selected lines. */
export interface ExcerptCosts {
  /** Tokens of the source line of an excerpt. */
  readonly header: number;
  /** Tokens of the gap mark inside an excerpt. */
  readonly gap: number;
  /** Tokens of the head of a message that replaces a range of chunks. */
  readonly standIn: number;
}

/** Token unit of an index: a token counter, or four characters per token. */
export interface TokenUnit {
  readonly costs: ExcerptCosts;
  /** Returns the tokens of a text inside a message. */
  text(text: string): number;
  /** Returns the tokens of whole messages; undefined for the character unit, which counts lines. */
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

/** Returns the unit of a counter; without a counter, four characters per token. */
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
