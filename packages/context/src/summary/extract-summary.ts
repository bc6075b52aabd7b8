import type { BaseMessage } from "@langchain/core/messages";
import { messageText, sentences } from "../messages/text.js";
import { isAi, isToolResult } from "../messages/tool-calls.js";
import { tfIdfScores } from "../retention/importance.js";
import { carriedState } from "./carried-state.js";
import { earlierSummary } from "./earlier-summary.js";
import { openErrors } from "./open-calls.js";
import { planState } from "./plan-state.js";
import { isSummary } from "../folds/fold.js";
import { emptySummary, type Summary } from "./summary.js";
import { isDecision } from "./user-constraints.js";

export interface ExtractSummaryOptions {
  /** Maximum characters of all findings in total. @default 4,000 */
  readonly findingCharacters?: number;
}

/**
 * Returns an extractive summary without calling a model: the fallback when the summary model fails.
 *
 * Pure and deterministic. Constraints and artifacts come from user messages and tool calls; findings are the lines with
 * the highest TF-IDF weight; the result continues an earlier summary among the messages.
 */
export function extractSummary(
  messages: readonly BaseMessage[],
  { findingCharacters = 4_000 }: ExtractSummaryOptions = {},
): Summary {
  const earlier = earlierSummary(messages);
  const fresh = messages.filter((message) => !isSummary(message));
  const assistant = fresh.filter(isAi).flatMap((message) => sentences(messageText(message)));
  const carried = carriedState(fresh, earlier);
  const lastReply = fresh.findLast((message) => isAi(message) && messageText(message).trim() !== "");
  const nextSteps = planState(fresh)?.next ?? (lastReply === undefined ? earlier.nextSteps : []);
  const questions = assistant.filter(isQuestion).slice(-5);
  return {
    ...emptySummary,
    ...carried,
    intent: merge(earlier.intent, intent(fresh), 3),
    findings: findings(earlier.findings, fresh, findingCharacters),
    decisions: merge(earlier.decisions, assistant.filter(isDecision), 20),
    nextSteps: merge(nextSteps, lastReply === undefined ? [] : [clip(messageText(lastReply), 300)], 60),
    openQuestions: merge([], [...questions, ...openErrors(fresh, earlier.openQuestions)], 6),
  };
}

function intent(messages: readonly BaseMessage[]): readonly string[] {
  const users = messages.filter((message) => message.getType() === "human");
  return [users.at(0), users.at(-1)]
    .filter((message) => message !== undefined)
    .map((message) => clip(messageText(message), 400));
}

/** Distinct lines with the highest TF-IDF weight; lines with digits weigh more than prose. */
function findings(
  earlier: readonly string[],
  messages: readonly BaseMessage[],
  budget: number,
): readonly string[] {
  const sources = messages.filter((message) => isToolResult(message) || isAi(message));
  const lines = [...new Set(sources.flatMap((message) => candidateLines(messageText(message))))];
  const candidates = [...earlier, ...lines.filter((line) => !earlier.includes(line))];
  const scores = tfIdfScores(candidates);
  const ranked = candidates
    .map((line, index) => ({ line, index, score: (scores[index] ?? 0) * (/\d/.test(line) ? 1.3 : 1) }))
    .toSorted((a, b) => b.score - a.score || a.index - b.index);
  let used = 0;
  const chosen = ranked.filter(({ line }) => {
    if (used + line.length > budget) return false;
    used += line.length;
    return true;
  });
  return chosen.toSorted((a, b) => a.index - b.index).map(({ line }) => line);
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
  return line.length <= characters ? line : `${line.slice(0, characters)} […]`;
}
