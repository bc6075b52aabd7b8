import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "../folds/fold.js";
import { messageText } from "../messages/text.js";
import { isError, openErrors } from "./open-calls.js";
import { planState } from "./plan-state.js";
import { isSummary } from "../folds/fold.js";
import { emptySummary, parseSummary, type Summary } from "./summary.js";

/** Files of earlier folds that a summary names; older ones are named in the files of those. */
const mostFiles = 24;

/**
 * Returns what the earlier summaries among the messages say, with the files of their originals in the index.
 *
 * Pure. The newest says all that those before it said, for each was made over the one before.
 */
export function earlierSummary(messages: readonly BaseMessage[]): Summary {
  const stood = messages.filter(isSummary);
  const parsed = stood.map((message) => parseSummary(messageText(message)) ?? emptySummary);
  const latest = parsed.at(-1) ?? emptySummary;
  const files = stood.flatMap((message) => {
    const fold = foldOf(message);
    return fold === undefined ? [] : [`${fold.about ?? "earlier messages"}: ${fold.path}`];
  });
  const constraints = [...new Set(parsed.flatMap((summary) => summary.constraints))];
  const index = [...new Set([...parsed.flatMap((summary) => summary.index), ...files])];
  return { ...latest, constraints, index: bounded(index) };
}

/** Names the folder once there are more files than are worth a line each. */
const older = "older messages: /context/history/";

function bounded(index: readonly string[]): readonly string[] {
  const files = index.filter((entry) => entry !== older);
  const all = files.length === index.length && files.length <= mostFiles;
  return all ? files : [older, ...files.slice(-mostFiles)];
}

/**
 * Returns the record that a model keeps, completed by what is taken from the messages themselves.
 *
 * Pure. Constraints, files, index and the last error are the messages' alone; so are doubts, but the model may settle
 * earlier ones. Tasks and side effects come from both; the other sections are the model's, or extracted where it says
 * nothing.
 */
export function completeSummary(
  written: Summary,
  extracted: Summary,
  messages: readonly BaseMessage[],
): Summary {
  const fresh = messages.filter((message) => !isSummary(message));
  const questions = written.openQuestions.filter((entry) => !isError(entry));
  const errors = openErrors(fresh, written.openQuestions.filter(isError));
  const hasPlan = planState(fresh) !== undefined;
  const left = new Set(written.uncertainties);
  const settled = new Set(earlierSummary(messages).uncertainties.filter((point) => !left.has(point)));
  return {
    ...extracted,
    intent: joined(written.intent, extracted.intent),
    findings: either(written.findings, extracted.findings),
    decisions: either(written.decisions, extracted.decisions),
    openQuestions: questions.length > 0 ? joined(questions, errors) : extracted.openQuestions,
    uncertainties: extracted.uncertainties.filter((point) => !settled.has(point)),
    done: joined(extracted.done, written.done),
    inProgress: hasPlan
      ? joined(extracted.inProgress, written.inProgress)
      : either(written.inProgress, extracted.inProgress),
    nextSteps: hasPlan
      ? joined(planned(fresh), written.nextSteps)
      : either(written.nextSteps, extracted.nextSteps),
    sideEffects: joined(extracted.sideEffects, written.sideEffects),
  };
}

function planned(messages: readonly BaseMessage[]): readonly string[] {
  return planState(messages)?.next ?? [];
}

function joined(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])];
}

function either(one: readonly string[], other: readonly string[]): readonly string[] {
  return one.length > 0 ? one : other;
}
