import type { BaseMessage } from "@langchain/core/messages";
import { messageText } from "../messages/text.js";
import { factSections, stateSections, type SummaryPatch } from "./patch-summary.js";
import { isSummary } from "../folds/fold.js";

/** A line that speaks to the agent instead of recording something. */
const addressed = [
  /\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|earlier|all|any|your)\b.{0,40}\b(instruction|rule|prompt|message|constraint)/i,
  /^(?:[-*\s]*)(?:important|attention|note|system|assistant|agent|ai|warning)?\s*[:,!-]?\s*you\s+(?:must|should|have to|need to|are to|shall|may now|can now|are now|will now)\b/i,
  /^(?:[-*\s]*)(?:system|developer|user|human|assistant)\s*(?:message|prompt|instruction)?\s*:/i,
  /\b(?:obey|comply with) (?:me|this|the following)\b/i,
] as const;

/** A line that tells of a wish of the user. */
const wish =
  /\b(?:user|human|customer|client|owner)s?\s+(?:(?:also|now|then|has|have|had|explicitly|clearly|just)\s+){0,2}(?:want|ask|request|demand|instruct|say|said|told|tell|need|require|approv|authori[sz]|confirm|permit|allow|prefer|insist|order)/i;

/** Share of a wish's words that have to stand in the user's own messages. */
const groundedShare = 0.5;

export interface CleanedPatch {
  readonly patch: SummaryPatch;
  /** Lines that were taken out: instructions to the agent, and wishes that no user message states. */
  readonly refused: readonly string[];
}

/**
 * Returns a patch without lines that speak to the agent, and without wishes of the user that no user message states.
 *
 * Pure. What is taken out is no loss: the messages that it was made from are in the archive. A line that stands in a
 * message of the user word for word is the user's, whatever it says.
 */
export function cleanPatch(patch: SummaryPatch, messages: readonly BaseMessage[]): CleanedPatch {
  const users = messages.filter((message) => message.getType() === "human" && !isSummary(message));
  const said = users.map(messageText).join("\n").toLowerCase();
  const known = new Set(contentWords(said));
  const refused: string[] = [];
  function allowed(line: string, isIntent: boolean): boolean {
    const own = said.includes(line.trim().toLowerCase());
    const claims = (isIntent || wish.test(line)) && !isGrounded(line, known);
    const fine = own || (!claims && !addressed.some((pattern) => pattern.test(line)));
    if (!fine) refused.push(line);
    return fine;
  }
  const sections = [...factSections, ...stateSections].map((section) => [
    section,
    patch[section].filter((line) => allowed(line, section === "intent")),
  ]);
  return { patch: { ...patch, ...Object.fromEntries(sections) }, refused };
}

function isGrounded(line: string, known: ReadonlySet<string>): boolean {
  const words = [...new Set(contentWords(line.toLowerCase().replace(wish, " ")))];
  if (words.length === 0) return true;
  return words.filter((word) => known.has(word)).length >= groundedShare * words.length;
}

/** Words that say something, cut to a stem of five characters so that `files` and `filed` count as one. */
function contentWords(text: string): readonly string[] {
  const found = text.match(/[\p{L}\p{N}_$]{3,}/gu) ?? [];
  return found.filter((word) => !common.has(word)).map((word) => word.slice(0, 5));
}

const common = new Set(
  "the and that this with for from are was were has have had not but its his her their they them then than into onto about all any can will would should could must may might been being also now what when where which who how why user users wants asked".split(
    " ",
  ),
);
