import type { BaseMessage } from "@langchain/core/messages";
import { inlineText } from "../messages/text.js";
import { filePathOf, isAi, isToolResult, toolCalls } from "../messages/tool-calls.js";

/** Quoted lines and who wrote them. */
export interface Quotation {
  /** `read_file (src/a.ts)`, `agent` or `user`. */
  readonly source: string;
  readonly lines: readonly string[];
}

/** Returns lines as data of their source, in one line: `read_file (src/a.ts): “first line” “second line”`. Pure. */
export function quotation({ source, lines }: Quotation): string {
  return `${source}: ${lines.map(quote).join(" ")}`;
}

/** Returns what {@link quotation} wrote, or undefined for any other text. Pure, never throws. */
export function parseQuotation(text: string): Quotation | undefined {
  const found = /^([^“”]+): ((?:“[^“”]*” ?)+)$/.exec(text);
  if (found?.[1] === undefined || found[2] === undefined) return undefined;
  return { source: found[1], lines: unquoted(found[2]) };
}

/** Returns the texts of the quotation marks in a text. */
export function unquoted(text: string): readonly string[] {
  return Array.from(text.matchAll(/“([^“”]*)”/g), ([, line = ""]) => line);
}

/**
 * Returns a foreign text in quotation marks that it cannot close, as one line.
 *
 * Tags and notices by which prompts and stand-ins are structured lose their first character, and characters that no
 * reader sees are removed. Everything else is unchanged.
 */
export function quote(text: string): string {
  return `“${defused(inlineText(text))}”`;
}

/** Returns a text as a quotation shows it. */
export function defused(text: string): string {
  return text.replace(invisible, "").replace(/[“”]/g, '"').replace(tag, "‹").replace(notice, "(");
}

/** Bidirectional controls, zero-width spaces and tag characters; joiners stay, which some scripts need. */
const invisible = /[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069]|[\u{E0000}-\u{E007F}]/gu;
const tag =
  /<(?=\s*\/?\s*_?(?:\||system|user|human|assistant|developer|tool|function|conversation|record_so_far|answer|instructions?|prompt|context|important|antml)\b|\||\/?s>)/gi;
/** Beginnings of the notices of stand-ins, and the marks of some chat templates. */
const notice =
  /\[(?=\/?INST\]|(?:Summary of|Result of|Result offloaded|Message offloaded|Text of|From the context|Rules in|\d+ (?:characters|older|more)))/gi;

/** Names that mean somebody else than a tool. */
const reserved = /^(?:agent|user|human|system|developer|assistant|earlier summary)$/i;

/** Returns who wrote each message, as a short name: a tool with the file of its call, `agent`, `user` or the message type. */
export function sourcesOf(messages: readonly BaseMessage[]): ReadonlyMap<BaseMessage, string> {
  const calls = new Map(messages.flatMap(toolCalls).map((call) => [call.id, call] as const));
  return new Map(
    messages.map((message) => {
      if (!isToolResult(message)) return [message, isAi(message) ? "agent" : speakerOf(message)];
      const call = calls.get(message.tool_call_id);
      const name = sourceName(call?.name ?? message.name ?? "a tool", 60);
      const path = call === undefined ? undefined : filePathOf(call);
      const shown = reserved.test(name) ? `tool ${name}` : name;
      return [message, path === undefined ? shown : `${shown} (${sourceName(path, 120)})`];
    }),
  );
}

function speakerOf(message: BaseMessage): string {
  return message.getType() === "human" ? "user" : message.getType();
}

function sourceName(text: string, maxCharacters: number): string {
  return inlineText(text, maxCharacters).replace(invisible, "").replace(/[“”]/g, "'").replace(/:\s/g, "; ");
}
