import type { BaseMessage } from "@langchain/core/messages";

/** One block of a message's content, of whatever provider. */
export type Block = Readonly<Record<string, unknown>>;

/** Returns the content as blocks: a string is one text block, an empty string none. Never throws. */
export function contentBlocks(message: BaseMessage): readonly Block[] {
  const content: unknown = message.content;
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((block: unknown) =>
    typeof block === "object" && block !== null ? (block as Block) : { type: "text", text: String(block) },
  );
}

/** Returns the text that a model reads in a message's content, without tool calls and reasoning. */
export function messageText(message: BaseMessage): string {
  if (typeof message.content === "string") return message.content;
  return contentBlocks(message)
    .map((block) => (typeof block["text"] === "string" ? block["text"] : ""))
    .filter((text) => text !== "")
    .join("\n");
}

/** True for a block that a provider bills as a picture, sound or file and not by its characters. */
export function isMediaBlock(block: Block): boolean {
  return /^(image|input_image|audio|input_audio|video|file|document|media)/.test(String(block["type"]));
}

const lineBreak = /\s*[\n\r\v\f\u0085\u2028\u2029]\s*/g;
// oxlint-disable-next-line no-control-regex -- terminal escapes and other controls are what is looked for
const control = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;

/**
 * Returns a text as one line without control characters: a name or a path out of somebody's words cannot start a line,
 * a heading or a terminal escape of its own. Longer than `most` characters it is clipped.
 */
export function inlineText(text: string, most = Infinity): string {
  const line = text.replace(lineBreak, " ").replace(control, "").trim();
  return line.length <= most ? line : `${line.slice(0, most)}…`;
}

/** Returns the sentences and lines of a text, trimmed, without empty ones. */
export function sentences(text: string): readonly string[] {
  return text
    .split(/\n+|(?<=[.!?。！？])\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/** Returns how many lines a text has; a trailing newline ends the last one. */
export function countLines(text: string): number {
  if (text === "") return 0;
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** Returns what kind of text this is, from its first and last characters: cheap at any size. */
export function textKind(text: string): "JSON" | "HTML" | "XML" | "text" {
  const head = text.slice(0, 200).trimStart();
  const tail = text.slice(-200).trimEnd();
  if (head.startsWith("{") && tail.endsWith("}")) return "JSON";
  if (head.startsWith("[") && tail.endsWith("]")) return "JSON";
  if (/^(<!doctype html|<html)/i.test(head)) return "HTML";
  return head.startsWith("<?xml") ? "XML" : "text";
}
