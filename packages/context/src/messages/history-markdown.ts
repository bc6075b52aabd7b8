import type { BaseMessage } from "@langchain/core/messages";
import { isNativeBlock, nativeText } from "./provider/native-compaction.js";
import { isReasoningBlock } from "./provider/reasoning.js";
import { soundMessages } from "./sound/sound-messages.js";
import { blockText, contentBlocks, innerBlock, isMediaBlock, type Block } from "./text.js";
import { isCallBlock, toolCalls } from "./tool-calls.js";

/** Returns the path of the file that holds what an image or file block holds, if there is one. */
type FileOf = (block: Block) => string | undefined;

/**
 * Renders messages as searchable Markdown: one heading for each message, then its text and calls.
 *
 * A heading inside a message gets a backslash, so that no text can imitate another message. Omits reasoning, because models
 * refuse a transcript with another model's reasoning, and encrypted fields, which nobody can read. Shows the readable text of a
 * provider's compaction. The record beside this file holds everything.
 */
export function historyMarkdown(messages: readonly BaseMessage[], fileOf: FileOf = () => undefined): string {
  return soundMessages(messages)
    .map((message, index) => `## ${index + 1}. ${title(message)}\n\n${body(message, fileOf)}\n`)
    .join("\n");
}

function title(message: BaseMessage): string {
  const name = message.name === undefined ? "" : ` ${message.name}`;
  const status = (message as { status?: unknown }).status === "error" ? " (error)" : "";
  return `${message.getType()}${name}${status}${message.id === undefined ? "" : ` \`${message.id}\``}`;
}

/** A heading in a text, which would look like the beginning of the next message. */
const heading =
  /^(?=\s{0,3}#{1,6}\s+(?:\d+\.\s+)?(?:human|user|ai|assistant|tool|system|developer|function|generic|remove)\b)/gim;

function body(message: BaseMessage, fileOf: FileOf): string {
  const calls = toolCalls(message).map((call) => `Calls ${call.name}: ${JSON.stringify(call.args)}`);
  const text = contentBlocks(message)
    .map(innerBlock)
    .filter((block) => !isCallBlock(block) && !isReasoningBlock(block))
    .map((block) => shownBlock(block, fileOf));
  return withoutHeadings([...text, ...calls].join("\n\n"));
}

/** Returns a text in which no line looks like the heading of a message. Pure. */
export function withoutHeadings(text: string): string {
  return text.replace(heading, "\\");
}

function shownBlock(block: Block, fileOf: FileOf): string {
  if (isMediaBlock(block)) {
    const path = fileOf(block);
    const where =
      path === undefined ? "see the record beside this file" : `read_file shows it again: ${path}`;
    return `[${String(block["type"])} block: ${where}]`;
  }
  if (isNativeBlock(block)) return nativeText(block) || "[compaction block: see the record beside this file]";
  return (
    blockText(block) ?? JSON.stringify(block, (key, value: unknown) => (sealed.test(key) ? undefined : value))
  );
}

/** Fields that only the provider reads, such as the results of its web search. */
const sealed = /^encrypted_|^signature$|^thought_?signature$/i;
