import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "../fold.js";
import { historyMarkdown } from "../history-markdown.js";
import { blockLine, blockOf } from "./state-block.js";

/** Returns what the path of a macro block shows: a line with the path of its original for each block inside. */
export function macroMarkdown(record: readonly BaseMessage[]): string {
  return record.map(lineOf).join("\n");
}

function lineOf(message: BaseMessage): string {
  const block = blockOf(message);
  const path = foldOf(message)?.path;
  return block === undefined || path === undefined
    ? historyMarkdown([message])
    : `${blockLine(block)}\nOriginal: ${path}\n`;
}
