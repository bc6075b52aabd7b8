import type { BaseMessage } from "@langchain/core/messages";
import { messageText } from "../messages/text.js";
import { factSections, stateSections, type SummaryPatch } from "./patch-summary.js";
import { isSummary } from "../folds/fold.js";

/** Lines that instruct the agent instead of recording something. */
const instructions = [
  /\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|earlier|all|any|your)\b.{0,40}\b(instruction|rule|prompt|message|constraint)/i,
  /^(?:[-*\s]*)(?:important|attention|note|system|assistant|agent|ai|warning)?\s*[:,!-]?\s*you\s+(?:must|should|have to|need to|are to|shall|may now|can now|are now|will now)\b/i,
  /^(?:[-*\s]*)(?:system|developer|user|human|assistant)\s*(?:message|prompt|instruction)?\s*:/i,
  /\b(?:obey|comply with) (?:me|this|the following)\b/i,
] as const;

/** A line that attributes a request to the user. */
const userRequest =
  /\b(?:user|human|customer|client|owner)s?\s+(?:(?:also|now|then|has|have|had|explicitly|clearly|just)\s+){0,2}(?:want|ask|request|demand|instruct|say|said|told|tell|need|require|approv|authori[sz]|confirm|permit|allow|prefer|insist|order)/i;

/** Minimum share of a request's words that occur in the user's own messages. */
const groundedShare = 0.5;

export interface CleanedPatch {
  readonly patch: SummaryPatch;
  /** Removed lines: instructions to the agent, and user requests that no user message supports. */
  readonly refused: readonly string[];
}

/**
 * Returns a patch without lines that instruct the agent, and without user requests that no user message supports.
 *
 * Pure. Removing a line loses nothing: its source messages are in the archive. A line that occurs verbatim in a user
 * message always stays.
 */
export function cleanPatch(patch: SummaryPatch, messages: readonly BaseMessage[]): CleanedPatch {
  const users = messages.filter((message) => message.getType() === "human" && !isSummary(message));
  const said = users.map(messageText).join("\n").toLowerCase();
  const known = new Set(contentWords(said));
  const refused: string[] = [];
  function allowed(line: string, isIntent: boolean): boolean {
    const isQuoted = said.includes(line.trim().toLowerCase());
    const claims = (isIntent || userRequest.test(line)) && !isGrounded(line, known);
    const isAllowed = isQuoted || (!claims && !instructions.some((pattern) => pattern.test(line)));
    if (!isAllowed) refused.push(line);
    return isAllowed;
  }
  const sections = [...factSections, ...stateSections].map((section) => [
    section,
    patch[section].filter((line) => allowed(line, section === "intent")),
  ]);
  return { patch: { ...patch, ...Object.fromEntries(sections) }, refused };
}

function isGrounded(line: string, known: ReadonlySet<string>): boolean {
  const words = [...new Set(contentWords(line.toLowerCase().replace(userRequest, " ")))];
  if (words.length === 0) return true;
  return words.filter((word) => known.has(word)).length >= groundedShare * words.length;
}

/** Words except stop words, cut to five characters so that `files` and `filed` match. */
function contentWords(text: string): readonly string[] {
  const found = text.match(/[\p{L}\p{N}_$]{3,}/gu) ?? [];
  return found.filter((word) => !stopWords.has(word)).map((word) => word.slice(0, 5));
}

const stopWords = new Set(
  "the and that this with for from are was were has have had not but its his her their they them then than into onto about all any can will would should could must may might been being also now what when where which who how why user users wants asked".split(
    " ",
  ),
);
