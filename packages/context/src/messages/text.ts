import type { BaseMessage } from "@langchain/core/messages";
import { lazyRegExp } from "../once.js";
import { soundMessage } from "./sound/sound-message.js";

/** One content block of a message, from any provider. */
export type Block = Readonly<Record<string, unknown>>;

/** Returns the content as blocks: a string becomes one text block, an empty string no block. Never throws. */
export function contentBlocks(message: BaseMessage): readonly Block[] {
  return blocksOf(soundMessage(message).content);
}

/** Returns {@link contentBlocks} of the content of a message in its sound form. */
export function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((block: unknown) =>
    typeof block === "object" && block !== null ? (block as Block) : { type: "text", text: String(block) },
  );
}

/** Returns the provider's block inside a non-standard block of LangChain's standard content, or the block itself. */
export function innerBlock(block: Block): Block {
  const { type, value } = block;
  return type === "non_standard" && typeof value === "object" && value !== null ? (value as Block) : block;
}

/** Returns the text of a block, or of the source of a document block; undefined for a block without text. */
export function blockText({ text, source }: Block): string | undefined {
  if (typeof text === "string") return text;
  const { type, data } = (source ?? {}) as Block;
  return type === "text" && typeof data === "string" ? data : undefined;
}

/** Returns the text of a message's content, without tool calls and reasoning. */
export function messageText(message: BaseMessage): string {
  if (typeof message.content === "string") return message.content;
  return contentBlocks(message)
    .map((block) => (block["thought"] === true ? "" : blockText(block)))
    .filter((text) => text !== undefined && text !== "")
    .join("\n");
}

/** True for a block that a provider bills as an image, audio or file instead of by its characters. */
export function isMediaBlock(block: Block): boolean {
  const { type } = block;
  if (typeof type !== "string") return false;
  if (/^(file|document)/.test(type)) return blockText(block) === undefined;
  return /^(image|input_image|input_file|audio|input_audio|video|media)/.test(type);
}

const lineBreak = /\s*[\n\r\v\f\u0085\u2028\u2029]\s*/g;
// oxlint-disable-next-line no-control-regex -- the pattern matches terminal escapes and other control characters
const control = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;

/**
 * Returns a text as one line without control characters, clipped to `maxCharacters`. Untrusted names and paths cannot
 * inject a line break, a heading or a terminal escape.
 */
export function inlineText(text: string, maxCharacters = Infinity): string {
  const line = text.replace(lineBreak, " ").replace(control, "").trim();
  return line.length <= maxCharacters ? line : `${clipText(line, maxCharacters)}…`;
}

// Created on first use: loading the Unicode data takes 30 ms, which would delay the import.
let graphemes: Intl.Segmenter | undefined;
let sentenceBreaks: Intl.Segmenter | undefined;

/** UTF-16 units that a cluster may extend over the limit; a longer one is cut between its code points. */
const clusterRoom = 64;

/** Returns the beginning of a text, at most `maxCharacters` UTF-16 units, without splitting a grapheme cluster. */
export function clipText(text: string, maxCharacters: number): string {
  const end = Math.max(0, Math.floor(maxCharacters));
  if (text.length <= end) return text;
  // No character below U+0300 continues a cluster.
  if (text.charCodeAt(end) < 0x300) return text.slice(0, end);
  const near = text.slice(Math.max(0, end - clusterRoom), end + clusterRoom);
  const start = Math.max(0, end - clusterRoom);
  graphemes ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  const boundary = start + (graphemes.segment(near).containing(end - start)?.index ?? end - start);
  if (boundary > start || start === 0) return text.slice(0, boundary);
  return text.slice(0, /[\uDC00-\uDFFF]/.test(text.charAt(end)) ? end - 1 : end);
}

// oxlint-disable-next-line no-control-regex -- the class is all of ASCII
const asciiOnly = /^[\u0000-\u007f]*$/;

/**
 * Splits a text into trimmed, non-empty sentences and lines.
 *
 * Sentences of other scripts end where Unicode says so (UAX 29): Chinese puts no space after a full stop. Thai and Lao have no
 * full stop, and put a space only between sentences and clauses.
 */
export function sentences(text: string): readonly string[] {
  return text
    .split(/\n+|(?<=[.!?。！？])\s+/)
    .flatMap((line) => (asciiOnly.test(line) ? line : segmentsOf(line)))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

const clauseSpace = lazyRegExp(
  String.raw`(?<=[\p{Script=Thai}\p{Script=Lao}])\s+(?=[\p{Script=Thai}\p{Script=Lao}])`,
  "u",
);

function segmentsOf(line: string): readonly string[] {
  sentenceBreaks ??= new Intl.Segmenter("und", { granularity: "sentence" });
  const segments = Array.from(sentenceBreaks.segment(line), ({ segment }) => segment);
  return segments.flatMap((segment) => segment.split(clauseSpace()));
}

/** Counts the lines of a text; a trailing newline ends the last line. */
export function countLines(text: string): number {
  if (text === "") return 0;
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** Detects the kind of a text from its first and last 200 characters. */
export function textKind(text: string): "JSON" | "HTML" | "XML" | "text" {
  const head = text.slice(0, 200).trimStart();
  const tail = text.slice(-200).trimEnd();
  if (head.startsWith("{") && tail.endsWith("}")) return "JSON";
  if (head.startsWith("[") && tail.endsWith("]")) return "JSON";
  if (/^(<!doctype html|<html)/i.test(head)) return "HTML";
  return head.startsWith("<?xml") ? "XML" : "text";
}
