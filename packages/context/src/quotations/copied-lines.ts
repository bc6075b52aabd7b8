import type { BaseMessage } from "@langchain/core/messages";
import { sourcesOf, type Quotation } from "./quoted-text.js";
import { messageText } from "../messages/text.js";
import { isToolResult } from "../messages/tool-calls.js";
import { words } from "../words/words.js";

/** Words in a row by which a copy is recognized. */
const run = 4;
/** Minimum share of a line's runs that are in tool results. */
const copiedShare = 0.6;
/** Characters of one result that are compared. */
const maxCharacters = 200_000;

/**
 * Returns a function that names the tool whose result, or the source whose `earlier` quotation, a line repeats; it returns
 * undefined for other lines.
 *
 * Pure, O(characters). Compares runs of four words, so that a prefix, a suffix or other punctuation hides nothing. Lines
 * of fewer words are copies where a whole line of a result has the same words.
 */
export function copiedFrom(
  messages: readonly BaseMessage[],
  earlier: readonly Quotation[] = [],
): (line: string) => string | undefined {
  const sources = sourcesOf(messages);
  const results = messages.filter(isToolResult).map((message) => ({
    source: sources.get(message) ?? "a tool",
    lines: messageText(message).slice(0, maxCharacters).split("\n"),
  }));
  const runs = new Map<string, string>();
  for (const { source, lines } of [...results, ...earlier]) {
    for (const one of lines.flatMap(runsOf)) if (!runs.has(one)) runs.set(one, source);
  }
  return (line) => {
    const own = runsOf(line.replace(/\s*\([^()]*\)\s*$/, ""));
    const found = own.map((one) => runs.get(one)).filter((source) => source !== undefined);
    return found.length > 0 && found.length >= copiedShare * own.length ? found[0] : undefined;
  };
}

function runsOf(text: string): readonly string[] {
  const own = words(text);
  if (own.length < 2) return [];
  if (own.length < run) return [`${own.join(" ")}$`];
  return own.slice(run - 1).map((_, at) => own.slice(at, at + run).join(" "));
}
