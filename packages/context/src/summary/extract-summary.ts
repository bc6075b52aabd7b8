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
 * Pure and deterministic. Constraints and artifacts come from user messages and tool calls; findings are the lines with
 * the highest TF-IDF weight; the result continues an earlier summary among the messages.
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
  const nextSteps = planState(fresh)?.next ?? (lastReply === undefined ? earlier.nextSteps : []);
  const questions = assistant.filter(isQuestion).slice(-5);
  return {
    ...emptySummary,
    ...carried,
    intent: intentOf(fresh, earlier.intent),
    findings: entriesOf(chooseFindings(found, findingCharacters)),
    decisions: merge(earlier.decisions, cleaned(assistant.filter(isDecision), clean), 20),
    nextSteps: merge(nextSteps, cleaned(reply, clean), 60),
    openQuestions: merge([], [...cleaned(questions, clean), ...openErrors(fresh, earlier.openQuestions)], 6),
  };
}

function cleaned(lines: readonly string[], clean: LineCleaner): readonly string[] {
  return lines.flatMap((line) => clean(line) ?? []);
}

/** Returns what the user asked for first, and the two newest requests. */
function intentOf(messages: readonly BaseMessage[], earlier: readonly string[]): readonly string[] {
  const users = messages.filter(isUserMessage);
  const own = [users.at(0), users.at(-1)]
    .filter((message) => message !== undefined)
    .map((message) => clip(messageText(message), 400));
  const all = merge(earlier, own, Infinity);
  return all.length <= 3 ? all : [...all.slice(0, 1), ...all.slice(-2)];
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
