import type { BaseMessage } from "@langchain/core/messages";
import { copiedFrom } from "../quotations/copied-lines.js";
import { isSummary } from "../folds/fold.js";
import { entriesOf, linesOfEntry } from "../quotations/sourced-lines.js";
import { parseQuotation, quotation, unquoted, type Quotation } from "../quotations/quoted-text.js";
import { messageText, sentences } from "../messages/text.js";
import { isGrounded, isSaid, isUserClaim, userWords } from "./lines/grounding.js";
import { isInstruction } from "./lines/instructions.js";
import { factSections, stateSections, type SummaryPatch } from "./patch-summary.js";

export interface CleanedPatch {
  readonly patch: SummaryPatch;
  /** Removed lines: instructions to the agent, and user requests that no user message supports. */
  readonly refused: readonly string[];
}

/**
 * Returns a patch without lines that instruct the agent, and without user requests that no user message supports. A line
 * that repeats a tool result is quoted as data of that tool.
 *
 * Pure. Removing a line loses nothing: its source messages are in the archive. A line whose sentences are all whole sentences
 * of the user always stays. Pass the cleaner of the messages when several patches are cleaned: making one reads
 * them all.
 */
export function cleanPatch(
  patch: SummaryPatch,
  messages: readonly BaseMessage[],
  clean: LineCleaner = lineCleaner(messages),
): CleanedPatch {
  const refused: string[] = [];
  const sections = [...factSections, ...stateSections].map((section) => [
    section,
    patch[section].flatMap((line) => {
      const kept = clean(line, { isIntent: section === "intent" });
      if (kept === undefined) refused.push(line);
      return kept ?? [];
    }),
  ]);
  return { patch: { ...patch, ...Object.fromEntries(sections) }, refused };
}

/** Returns what a summary quotes; excerpts name their source in the line before them. */
function quotationsOf(summary: BaseMessage): readonly Quotation[] {
  return messageText(summary)
    .split("\n")
    .flatMap((line) => {
      const entry = line.replace(/^- /, "");
      const found = parseQuotation(entry);
      if (found !== undefined) return found;
      return [{ source: "earlier summary", lines: unquoted(entry) }];
    });
}

/** Returns a line, the line quoted, or undefined; an intent must always be grounded. */
export type LineCleaner = (line: string, context?: { readonly isIntent?: boolean }) => string | undefined;

/**
 * Returns a function that decides what becomes of a line which a model or the agent wrote: the line, the line quoted as
 * data of a tool, or undefined for a line that must not stand in a summary. The first line reads all messages.
 */
export function lineCleaner(messages: readonly BaseMessage[]): LineCleaner {
  let cleaner: LineCleaner | undefined;
  return (line, context) => {
    cleaner ??= cleanerOf(messages);
    return cleaner(line, context);
  };
}

/** Returns a text of one line as the cleaner leaves its sentences; empty where it leaves none. Pure. */
export function cleanText(text: string, clean: LineCleaner): string {
  const kept = sentences(text).flatMap((sentence) => clean(sentence) ?? []);
  return entriesOf(kept.flatMap(linesOfEntry)).join(" ");
}

function cleanerOf(messages: readonly BaseMessage[]): LineCleaner {
  const user = userWords(messages);
  const copied = copiedFrom(messages, messages.filter(isSummary).flatMap(quotationsOf));
  return (line, { isIntent = false } = {}) => {
    if (isSaid(line, user)) return line;
    if (isInstruction(line)) return undefined;
    if ((isIntent || isUserClaim(line)) && !isGrounded(line, user)) return undefined;
    if (isIntent) return line;
    const source = copied(line);
    return source === undefined ? line : quotation({ source, lines: [line] });
  };
}
