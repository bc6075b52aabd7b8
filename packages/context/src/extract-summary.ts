import type { BaseMessage } from "@langchain/core/messages";
import { filePathOf, isFileRead, isFileWrite } from "./file-calls.js";
import { messageText } from "./message-text.js";
import { isSummary } from "./plan-summary.js";
import { sentences } from "./sentences.js";
import { emptySummary, parseSummary, type Summary } from "./summary.js";
import { tfIdfScores } from "./tf-idf.js";
import { isAi, isToolResult, toolCalls } from "./tool-calls.js";
import { userConstraints } from "./user-constraints.js";

export interface ExtractSummaryOptions {
  /** Characters of all findings together. @default 4,000 */
  readonly findingCharacters?: number;
}

/**
 * Returns a summary made of the messages' own lines, without a model: what a failing summarizer falls back on.
 *
 * Pure and deterministic. Constraints and artifacts come from the user's words and the tool calls; findings are
 * the lines with the highest TF-IDF weight; an earlier summary among the messages is carried on.
 */
export function extractSummary(
  messages: readonly BaseMessage[],
  { findingCharacters = 4_000 }: ExtractSummaryOptions = {},
): Summary {
  const earlier = earlierSummary(messages);
  const fresh = messages.filter((message) => !isSummary(message));
  const assistant = fresh.filter(isAi).flatMap((message) => sentences(messageText(message)));
  return {
    intent: merge(earlier.intent, intent(fresh), 3),
    constraints: merge(earlier.constraints, userConstraints(fresh), 40),
    artifacts: merge(earlier.artifacts, artifacts(fresh), 60),
    findings: findings(earlier.findings, fresh, findingCharacters),
    decisions: merge(earlier.decisions, assistant.filter(isDecision), 20),
    openQuestions: merge([], [...assistant.filter(isQuestion), ...lastError(fresh)], 5),
    nextSteps: nextSteps(fresh, earlier),
  };
}

function earlierSummary(messages: readonly BaseMessage[]): Summary {
  const summary = messages.findLast(isSummary);
  return (summary && parseSummary(messageText(summary))) ?? emptySummary;
}

function intent(messages: readonly BaseMessage[]): readonly string[] {
  const users = messages.filter((message) => message.getType() === "human");
  return [users.at(0), users.at(-1)]
    .filter((message) => message !== undefined)
    .map((message) => clip(messageText(message), 400));
}

function artifacts(messages: readonly BaseMessage[]): readonly string[] {
  const calls = messages.flatMap((message) => toolCalls(message));
  return calls.flatMap((call) => {
    const path = filePathOf(call);
    if (path === undefined || path.length > 200) return [];
    if (isFileWrite(call)) return [`${path} (written)`];
    return isFileRead(call) ? [`${path} (read)`] : [];
  });
}

/** Lines that carry facts: numbers, names and paths weigh more than prose, and no line is told twice. */
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

/** At most 400 lines of a result are weighed: enough to choose from, and linear whatever its size. */
function candidateLines(text: string): readonly string[] {
  return text
    .slice(0, 60_000)
    .split("\n")
    .slice(0, 400)
    .flatMap((line) => (line.length > 240 ? sentences(line) : [line.trim()]))
    .filter((line) => line.length >= 20 && line.length <= 240 && !line.startsWith("["));
}

function nextSteps(messages: readonly BaseMessage[], earlier: Summary): readonly string[] {
  const todos = messages
    .flatMap((message) => toolCalls(message))
    .findLast((call) => Array.isArray(call.args["todos"]));
  const last = messages.findLast((message) => isAi(message) && messageText(message).trim() !== "");
  const steps = [
    ...(todos === undefined ? [] : (todos.args["todos"] as unknown[]).flatMap(openTodo)),
    ...(last === undefined ? [] : [clip(messageText(last), 300)]),
  ];
  return steps.length > 0 ? steps.slice(0, 60) : earlier.nextSteps;
}

function openTodo(todo: unknown): readonly string[] {
  if (typeof todo === "string") return [todo];
  const { content, status } = (todo ?? {}) as { content?: unknown; status?: unknown };
  if (typeof content !== "string" || status === "completed") return [];
  return [typeof status === "string" ? `[${status}] ${content}` : content];
}

function lastError(messages: readonly BaseMessage[]): readonly string[] {
  const failed = messages.findLast((message) => isToolResult(message) && message.status === "error");
  return failed === undefined
    ? []
    : [`Last error, from ${failed.name ?? "a tool"}: ${clip(messageText(failed), 300)}`];
}

function isDecision(sentence: string): boolean {
  return (
    /\b(decided?|will use|chose|going with|because|instead of)\b/i.test(sentence) && sentence.length <= 300
  );
}

function isQuestion(sentence: string): boolean {
  return sentence.endsWith("?") && sentence.length <= 300;
}

/** The newest win where there is no room for all. */
function merge(earlier: readonly string[], fresh: readonly string[], most: number): readonly string[] {
  const all = [...earlier, ...fresh].map((text) => text.replace(/\s+/g, " ").trim());
  return [...new Set(all)].slice(-most);
}

function clip(text: string, characters: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= characters ? line : `${line.slice(0, characters)} […]`;
}
