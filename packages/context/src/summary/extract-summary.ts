import type { BaseMessage } from "@langchain/core/messages";
import { clipText, messageText, sentences } from "../messages/text.js";
import { isAi } from "../messages/tool-calls.js";
import { carriedState } from "./carried-state.js";
import { lineCleaner, type LineCleaner } from "./clean-patch.js";
import { earlierSummary } from "./earlier-summary.js";
import { chooseFindings, findingsIn } from "./lines/findings.js";
import { openErrors } from "./open-calls.js";
import { planState } from "./plan-state.js";
import { entriesOf, linesOfEntry } from "../quotations/sourced-lines.js";
import { isSummary, isUserMessage } from "../folds/fold.js";
import { emptySummary, type Summary } from "./summary.js";
import { isDecision } from "./user-constraints.js";

export interface ExtractSummaryOptions {
  /** Maximum characters of all findings in total. @default 4,000 */
  readonly findingCharacters?: number;
  /** Decides what becomes of a line that the agent wrote. @default made from `messages`, which reads them all */
  readonly clean?: LineCleaner;
}

/**
 * Returns an extractive summary without calling a model: the fallback when the summary model fails.
 *
 * Pure and deterministic. Artifacts come from tool calls; findings are the lines with the highest TF-IDF weight; the result
 * continues an earlier summary among the messages. It repeats no words of the user: the first and the latest message stay beside
 * the summary, and a first request that is repeated behind a later one would read as the newest.
 */
export function extractSummary(
  messages: readonly BaseMessage[],
  { findingCharacters = 4_000, clean = lineCleaner(messages) }: ExtractSummaryOptions = {},
): Summary {
  const earlier = earlierSummary(messages);
  const fresh = messages.filter((message) => !isSummary(message));
  const own = fresh.filter(isAi).flatMap((message) => sentences(messageText(message)));
  const assistant = own.filter((sentence) => isDecision(sentence) || isQuestion(sentence));
  const found = [...earlier.findings.flatMap(linesOfEntry), ...findingsIn(fresh)];
  const carried = carriedState(fresh, earlier);
  const lastReply = fresh.findLast((message) => isAi(message) && messageText(message).trim() !== "");
  const reply = lastReply === undefined ? [] : [clip(messageText(lastReply), 300)];
  const nextSteps = planState(fresh, earlier)?.next ?? (lastReply === undefined ? earlier.nextSteps : []);
  const questions = assistant.filter(isQuestion).slice(-5);
  return {
    ...emptySummary,
    ...carried,
    intent: hasNewRequest(messages) ? [] : earlier.intent,
    findings: entriesOf(chooseFindings(found, findingCharacters)),
    decisions: merge(earlier.decisions, cleaned(assistant.filter(isDecision), clean), 20),
    nextSteps: merge(nextSteps, cleaned(reply, clean), 60),
    openQuestions: merge([], [...cleaned(questions, clean), ...openErrors(fresh, earlier.openQuestions)], 6),
  };
}

function cleaned(lines: readonly string[], clean: LineCleaner): readonly string[] {
  return lines.flatMap((line) => clean(line) ?? []);
}

/** True where the user has said something behind the newest summary: what that one says of the user's wishes may be out of date. */
function hasNewRequest(messages: readonly BaseMessage[]): boolean {
  return messages.slice(messages.findLastIndex(isSummary) + 1).some(isUserMessage);
}

function isQuestion(sentence: string): boolean {
  return sentence.endsWith("?") && sentence.length <= 300;
}

/** Joins two lists without duplicates and keeps the newest `maxEntries`. */
function merge(earlier: readonly string[], fresh: readonly string[], maxEntries: number): readonly string[] {
  const all = [...earlier, ...fresh].map((text) => text.replace(/\s+/g, " ").trim());
  return [...new Set(all)].slice(-maxEntries);
}

function clip(text: string, characters: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= characters ? line : `${clipText(line, characters)} […]`;
}
