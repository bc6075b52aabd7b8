import type { Corpus } from "./corpus.js";
import { evaluatePlan } from "./evaluate-plan.js";
import { parseQuestion } from "./parse-question.js";
import type { Plan } from "./plan.js";
import { wholeFiles } from "./sources.js";

export interface Question {
  readonly text: string;
  readonly truth: string;
  /** Its kind, by the name of Context-Bench. */
  readonly kind: string;
}

/** A question whose plan, over the whole files, gives its exact answer. */
export interface PlannedQuestion extends Question {
  readonly plan: Plan;
}

/** A question that is not played, and why. */
export interface UnplannedQuestion extends Question {
  readonly why: string;
}

/** Returns the plan of a question, by the reading that gives the exact answer, or why it has none. Pure. */
export function planQuestion(question: Question, corpus: Corpus): PlannedQuestion | UnplannedQuestion {
  const answers: string[] = [];
  for (const reading of ["all", "first"] as const) {
    try {
      const plan = parseQuestion(question.text, reading);
      const answer = evaluatePlan(plan, wholeFiles(corpus));
      if (isRight(answer, question.truth)) return { ...question, plan };
      answers.push(`its plan gives ${answer}`);
    } catch (error) {
      answers.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { ...question, why: [...new Set(answers)].join("; ") };
}

/**
 * True for an answer that the rubric of Context-Bench accepts: numbers are equal in any format and with any unit, names in
 * any case, and of several names the answer has to be the right one. Pure.
 */
export function isRight(answer: string, truth: string): boolean {
  const [number, wanted] = [numberIn(answer), numberIn(truth)];
  if (wanted !== undefined) return number === wanted;
  return answer.trim().toLowerCase() === truth.trim().toLowerCase();
}

function numberIn(text: string): number | undefined {
  const digits = /^\$?(-?[\d,]*\.?\d+)(?: [a-z ]+)?$/i.exec(text.trim())?.[1];
  return digits === undefined ? undefined : Number(digits.replaceAll(",", ""));
}
