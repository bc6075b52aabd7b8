import type { BaseMessage } from "@langchain/core/messages";
import { isError, openErrors } from "../carry/open-calls.js";
import { planState } from "../carry/plan-state.js";
import { isSummary } from "../plan-summary.js";
import type { Summary } from "../summary.js";

/**
 * Returns the record that a model keeps, completed by what is taken from the messages themselves.
 *
 * Pure. Constraints, files, index and the last error are the messages' alone; of tasks and side effects both are told;
 * the other sections are the model's, or extracted where it says nothing.
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
  return {
    ...extracted,
    intent: joined(written.intent, extracted.intent),
    findings: either(written.findings, extracted.findings),
    decisions: either(written.decisions, extracted.decisions),
    openQuestions: questions.length > 0 ? joined(questions, errors) : extracted.openQuestions,
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
