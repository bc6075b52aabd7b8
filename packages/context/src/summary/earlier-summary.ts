import type { BaseMessage } from "@langchain/core/messages";
import { historyFolderOf } from "../folds/archive-paths.js";
import { foldOf } from "../folds/fold.js";
import { messageText } from "../messages/text.js";
import { parseQuotation, quote, unquoted } from "../quotations/quoted-text.js";
import { isError, openErrors } from "./open-calls.js";
import { joinPlans } from "../plans/plan-list.js";
import { newestThatFit } from "./newest-that-fit.js";
import { planState, type PlanState } from "./plan-state.js";
import { isTaskLine } from "./task-steps.js";
import { isSummary } from "../folds/fold.js";
import { entriesOf, linesOfEntry } from "../quotations/sourced-lines.js";
import { findingsIn, formOf } from "./lines/findings.js";
import { emptySummary, parseSummary, type Summary } from "./summary.js";

/** Maximum files of earlier folds in the index; those files link to the older ones. */
const maxFiles = 24;

/**
 * Returns the content of the earlier summaries among the messages, with the files of their originals in the index.
 *
 * Pure. Takes most sections from the newest summary: each summary includes the content of the one before it.
 */
export function earlierSummary(messages: readonly BaseMessage[]): Summary {
  const summaries = messages.filter(isSummary);
  const parsed = summaries.map((message) => parseSummary(messageText(message)) ?? emptySummary);
  const latest = parsed.at(-1) ?? emptySummary;
  const files = summaries.flatMap((message) => {
    const fold = foldOf(message);
    if (fold === undefined) return [];
    // Names of files and words of messages: others chose them.
    return [`${fold.about === undefined ? "earlier messages" : quote(fold.about)}: ${fold.path}`];
  });
  const userLines = [...new Set(parsed.flatMap((summary) => summary.userLines))];
  const index = [...new Set([...parsed.flatMap((summary) => summary.index), ...files])];
  const folder = historyFolderOf(summaries.map((message) => foldOf(message)?.path).at(-1));
  const plans = summaries.map((message, at) => foldOf(message)?.block?.plan ?? parsed[at]?.plan ?? []);
  return { ...latest, userLines, plan: planFrom(plans), index: bounded(index, folder) };
}

/** Blocks carry parts of a plan; a summary carries it whole, with lists that have no boxes. */
function planFrom(plans: readonly (readonly string[])[]): readonly string[] {
  const parts = plans.filter(({ length }) => length > 0);
  return parts.length > 1 ? joinPlans(parts) : (parts[0] ?? []);
}

/** Index entry for the folder, used when the index omits older files. */
const isOlder = /^older messages: \/context\/(?:lanes\/[\w-]+\/)?history\/$/;

function bounded(index: readonly string[], folder: string): readonly string[] {
  const files = index.filter((entry) => !isOlder.test(entry));
  const all = files.length === index.length && files.length <= maxFiles;
  return all ? files : [`older messages: ${folder}`, ...files.slice(-maxFiles)];
}

/**
 * Returns the index with the newest files that have at most `characters` characters in total. Where files are left out, its first entry
 * names their folder, whatever its length. Pure.
 */
export function indexThatFits(index: readonly string[], characters: number): readonly string[] {
  const files = index.filter((entry) => !isOlder.test(entry));
  const kept = newestThatFit(files, characters);
  if (kept.length === index.length) return index;
  const path = files.at(-1)?.replace(/^.*: /, "");
  return [index.find((entry) => isOlder.test(entry)) ?? `older messages: ${historyFolderOf(path)}`, ...kept];
}

/**
 * Returns the model's summary, completed with sections extracted from the messages.
 *
 * Pure. Files, index and the last error come from the messages alone. Uncertainties do too, but the model
 * may resolve earlier ones. Findings, tasks and side effects combine both sources: a model words what it learned and drops
 * values that extraction keeps. The other sections come from the model, or from extraction where the model leaves them empty.
 */
export function completeSummary(
  written: Summary,
  extracted: Summary,
  messages: readonly BaseMessage[],
): Summary {
  const fresh = messages.filter((message) => !isSummary(message));
  const questions = written.openQuestions.filter((entry) => !isError(entry));
  const errors = openErrors(fresh, written.openQuestions.filter(isError));
  const open = new Set(written.uncertainties);
  const earlier = earlierSummary(messages);
  const plan = planState(fresh, earlier);
  const told = (entries: readonly string[]) => withoutTasks(entries, plan);
  const settled = new Set(earlier.uncertainties.filter((point) => !open.has(point)));
  return {
    ...extracted,
    intent: written.intent,
    findings: combined(written.findings, extracted.findings, { earlier: earlier.findings, fresh }),
    decisions: either(written.decisions, extracted.decisions),
    openQuestions: questions.length > 0 ? joined(questions, errors) : extracted.openQuestions,
    uncertainties: extracted.uncertainties.filter((point) => !settled.has(point)),
    done: joined(extracted.done, told(written.done)),
    inProgress: plan
      ? joined(extracted.inProgress, told(written.inProgress))
      : either(written.inProgress, extracted.inProgress),
    nextSteps: plan
      ? joined(plan.next, told(written.nextSteps))
      : either(written.nextSteps, extracted.nextSteps),
    sideEffects: joined(extracted.sideEffects, written.sideEffects),
  };
}

/**
 * Returns the findings of the model and behind them the extracted ones, each line once. Extraction ranks the earlier quotations
 * again; what the model removed from the earlier findings stays removed.
 */
function combined(
  written: readonly string[],
  extracted: readonly string[],
  { earlier, fresh }: { readonly earlier: readonly string[]; readonly fresh: readonly BaseMessage[] },
): readonly string[] {
  const ranked = new Set(earlier.filter((entry) => parseQuotation(entry) !== undefined));
  const stated = withoutSuperseded(
    written.filter((entry) => !ranked.has(entry)),
    fresh,
  );
  const removed = earlier.filter((entry) => !written.includes(entry));
  const told = new Set([...stated, ...removed].flatMap(linesOfEntry).map(({ line }) => line));
  const own = extracted.flatMap(linesOfEntry).filter(({ line }) => !told.has(line));
  return [...stated, ...entriesOf(own)];
}

/**
 * Returns the findings without copies of lines that a newer line of the messages supersedes: one that differs in its values
 * alone. What the model words itself stays.
 */
function withoutSuperseded(findings: readonly string[], messages: readonly BaseMessage[]): readonly string[] {
  const newest = new Map(findingsIn(messages).map(({ line }) => [formOf(line), quoted(line)]));
  return findings.filter((entry) => {
    const lines = parseQuotation(entry)?.lines ?? [];
    return lines.length === 0 || lines.some((line) => (newest.get(formOf(line)) ?? line) === line);
  });
}

/** A line as a quotation shows it. */
function quoted(line: string): string {
  return unquoted(quote(line))[0] ?? line;
}

/** Returns the entries without the tasks of the newest list: it tells where they stand, and what is no longer on it. */
function withoutTasks(entries: readonly string[], plan: PlanState | undefined): readonly string[] {
  if (plan === undefined) return entries;
  const placed = new Set([...plan.done, ...plan.inProgress, ...plan.next]);
  return entries.filter((entry) => !placed.has(entry) && !isTaskLine(entry));
}

function joined(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])];
}

function either(one: readonly string[], other: readonly string[]): readonly string[] {
  return one.length > 0 ? one : other;
}
