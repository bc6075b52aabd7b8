import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "@palimpsest/context";
import {
  clipText,
  contentBlocks,
  historyMarkdown,
  isAi,
  isMediaBlock,
  isToolResult,
  isUserMessage,
  messageText,
} from "@palimpsest/context/internal";
import { hashText } from "@palimpsest/vfs/internal";
import { archivedMessages, isMessageHeading } from "../tools/archived-messages.js";

type Block = ReturnType<typeof contentBlocks>[number];

/** A message of the user and all that follows it until the next one. */
export interface Turn {
  /** Id of the user's message. */
  readonly id: string;
  readonly messages: readonly BaseMessage[];
  /** False for the last turn while the agent still works on it. */
  readonly isComplete: boolean;
}

/** Splits a thread into turns. A user message without an id begins none, because it could not be recognized. Pure. */
export function turnsOf(messages: readonly BaseMessage[]): readonly Turn[] {
  const starts = messages.flatMap((message, at) =>
    isUserMessage(message) && message.id !== undefined ? [{ at, id: message.id }] : [],
  );
  return starts.map(({ at, id }, turn) => {
    const own = messages.slice(at, starts[turn + 1]?.at);
    const last = own.at(-1);
    const isReplied = last !== undefined && isAi(last) && (last.tool_calls ?? []).length === 0;
    return { id, messages: own, isComplete: turn < starts.length - 1 || isReplied };
  });
}

/** Characters of a tool result in a turn. The whole result stays in its thread. */
const resultCharacters = 2_000;

/** Returns the name of a turn's file: its number, and a digest of its id. Pure. */
export function turnName(number: number, id: string): string {
  return `${String(number).padStart(4, "0")}${turnSuffix(id)}`;
}

/** Returns the end of a turn's file name, whatever its number. Pure. */
export function turnSuffix(id: string): string {
  return `-${hashText(id, 16)}.md`;
}

/** Returns the text of a turn's file: a line with its number and time, then its messages as in the archive. Pure. */
export function turnText(
  { messages }: Turn,
  { number, at }: { readonly number: number; readonly at: string },
): string {
  return `# Turn ${number}, ${at}\n\n${historyMarkdown(messages.map(shortened))}`.toWellFormed();
}

/** Returns a message without pictures and files, and with the beginning of a long result: the rest is in its thread alone. */
function shortened(message: BaseMessage): BaseMessage {
  const text = messageText(message);
  const left = isToolResult(message) ? text.length - resultCharacters : 0;
  if (left > 0)
    return withContent(
      message,
      `${clipText(text, resultCharacters)}\n[${left} more characters in the thread itself]`,
    );
  const blocks = contentBlocks(message);
  return blocks.some(isMediaBlock) ? withContent(message, blocks.map(named)) : message;
}

/** Returns a block that names a picture or a file, or the block itself. */
function named(block: Block): Block {
  return isMediaBlock(block)
    ? { type: "text", text: `[${String(block["type"])} in the thread itself]` }
    : block;
}

function withContent(message: BaseMessage, content: string | readonly Block[]): BaseMessage {
  return copyMessage(message, { content });
}

const titleOf = /^# Turn \d+, (\S+)$/;

/** Returns true for the first line of a turn's file, and for the heading of each message in it. Pure. */
export function isTurnStart(line: string): boolean {
  return isMessageHeading(line) || titleOf.test(line);
}

/** Returns how many lines at the beginning of a passage are the title of its turn, which tells only the time. Pure. */
export function titleLines(lines: readonly string[]): number {
  if (!titleOf.test(lines[0] ?? "")) return 0;
  const from = lines.findIndex((line, at) => at > 0 && line.trim() !== "");
  return Math.max(0, from);
}

/** One line of a turn that somebody said. */
export interface TurnLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** The type of the message: `human`, `ai` or `tool`. */
  readonly type: string;
  readonly messageId?: string;
}

/** Returns the time of a turn's file, and the lines of its messages. Pure. */
export function readTurn(text: string): { readonly at: string; readonly lines: readonly TurnLine[] } {
  const lines = text.split("\n");
  const messages = archivedMessages(lines);
  const at = titleOf.exec(lines[0] ?? "")?.[1] ?? "";
  const said = messages.flatMap(({ line, id }, index) => {
    const type = /^## \d+\. (\w+)/.exec(lines[line] ?? "")?.[1] ?? "";
    const end = messages[index + 1]?.line ?? lines.length;
    return lines.slice(line + 1, end).flatMap((one, offset) => {
      if (one.trim() === "") return [];
      const own = { line: line + 2 + offset, text: one, type };
      return [id === undefined ? own : { ...own, messageId: id }];
    });
  });
  return { at, lines: said };
}
