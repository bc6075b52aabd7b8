import type { BaseMessage } from "@langchain/core/messages";
import { sourcesOf } from "../quotations/quoted-text.js";
import { clipText, messageText, sentences } from "../messages/text.js";
import { isAi, isToolResult } from "../messages/tool-calls.js";
import { tfIdfScores } from "../retention/importance.js";
import { carriedState } from "./carried-state.js";
import { lineCleaner, type LineCleaner } from "./clean-patch.js";
import { earlierSummary } from "./earlier-summary.js";
import { isGrounded, isUserClaim, userWords } from "./grounding.js";
import { isInstruction } from "./instructions.js";
import { openErrors } from "./open-calls.js";
import { planState } from "./plan-state.js";
import { distinctLines, entriesOf, linesOfEntry, type SourcedLine } from "../quotations/sourced-lines.js";
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
  const carried = carriedState(fresh, earlier);
  const lastReply = fresh.findLast((message) => isAi(message) && messageText(message).trim() !== "");
  const reply = lastReply === undefined ? [] : [clip(messageText(lastReply), 300)];
  const nextSteps = planState(fresh)?.next ?? (lastReply === undefined ? earlier.nextSteps : []);
  const questions = assistant.filter(isQuestion).slice(-5);
  return {
    ...emptySummary,
    ...carried,
    intent: merge(earlier.intent, intent(fresh), 3),
    findings: findings(earlier.findings, fresh, findingCharacters),
    decisions: merge(earlier.decisions, cleaned(assistant.filter(isDecision), clean), 20),
    nextSteps: merge(nextSteps, cleaned(reply, clean), 60),
    openQuestions: merge([], [...cleaned(questions, clean), ...openErrors(fresh, earlier.openQuestions)], 6),
  };
}

function cleaned(lines: readonly string[], clean: LineCleaner): readonly string[] {
  return lines.flatMap((line) => clean(line) ?? []);
}

function intent(messages: readonly BaseMessage[]): readonly string[] {
  const users = messages.filter(isUserMessage);
  return [users.at(0), users.at(-1)]
    .filter((message) => message !== undefined)
    .map((message) => clip(messageText(message), 400));
}

/**
 * Distinct lines with the highest TF-IDF weight, quoted as data of the tool or the agent that wrote them; lines with
 * digits weigh more than prose. Of lines that differ in values alone the newest comes first: an old value never stays
 * where the one that superseded it does not.
 */
function findings(
  earlier: readonly string[],
  messages: readonly BaseMessage[],
  budget: number,
): readonly string[] {
  const candidates = distinctLines([...earlier.flatMap(linesOfEntry), ...freshFindings(messages)]);
  const scores = tfIdfScores(candidates.map(({ line }) => line));
  const weighed = candidates.map((found, index) => ({
    ...found,
    index,
    form: formOf(found.line),
    score: (scores[index] ?? 0) * (/\d/.test(found.line) ? 1.3 : 1),
  }));
  const newest = new Map(weighed.map(({ form, index }) => [form, index]));
  const highest = new Map<string, number>();
  for (const { form, score } of weighed) highest.set(form, Math.max(score, highest.get(form) ?? 0));
  const ranked = weighed
    .map(({ form, ...found }) => {
      const isNewest = newest.get(form) === found.index;
      return { ...found, isNewest, score: isNewest ? (highest.get(form) ?? 0) : found.score };
    })
    .toSorted((a, b) => b.score - a.score || Number(b.isNewest) - Number(a.isNewest) || a.index - b.index);
  let used = 0;
  const chosen = ranked.filter(({ line }) => {
    if (used + line.length > budget) return false;
    used += line.length;
    return true;
  });
  return entriesOf(chosen.toSorted((a, b) => a.index - b.index));
}

/** A line without its values: words with a digit. */
function formOf(line: string): string {
  return line.replace(/\S*\d\S*/g, "0");
}

/** Lines of tool results and replies that neither instruct the agent nor claim to speak for the user. */
function freshFindings(messages: readonly BaseMessage[]): readonly SourcedLine[] {
  const sources = sourcesOf(messages);
  const user = userWords(messages);
  const isData = (line: string) => !isInstruction(line) && !(isUserClaim(line) && !isGrounded(line, user));
  return messages
    .filter((message) => isToolResult(message) || isAi(message))
    .flatMap((message) => {
      const source = sources.get(message) ?? "";
      return candidateLines(messageText(message)).map((line) => ({ source, line }));
    })
    .filter(({ line }) => isData(line));
}

/** Returns at most 400 lines of a result, which bounds the cost of scoring. */
function candidateLines(text: string): readonly string[] {
  return text
    .slice(0, 60_000)
    .split("\n")
    .slice(0, 400)
    .flatMap((line) => (line.length > 240 ? sentences(line) : [line.trim()]))
    .filter((line) => line.length >= 20 && line.length <= 240 && !line.startsWith("["));
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
