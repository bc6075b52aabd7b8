import { percent } from "../report/format-value.js";
import type { Comparison, Table } from "../suite.js";
import { fits, isCalibrated, type QuestionSet } from "./question-set.js";
import { rivalsOf, type Row } from "./rows.js";

/** Returns how many questions of each kind are played, and why the others are not. Names and numbers of theirs stay out of it. */
export function plannedTable({ name, planned, unplanned }: QuestionSet, windows: readonly number[]): Table {
  const all = [...planned, ...unplanned];
  const row = (label: string, isMeant: (question: (typeof all)[number]) => boolean) => {
    const own = planned.filter(isMeant);
    const played = windows.map((window) => own.filter((question) => fits(question, window)).length);
    return [label, all.filter(isMeant).length, own.length, ...played];
  };
  const kinds = [...new Set(all.map(({ kind }) => kind))].toSorted();
  const wrong = unplanned.filter(({ why }) => why.startsWith("its plan")).length;
  return {
    title: `Questions that are played, ${name}`,
    columns: ["kind", "questions", "with a plan", ...windows.map((window) => `played at ${window / 1_000}k`)],
    rows: [
      ...kinds.map((kind) => row(kind, (question) => question.kind === kind)),
      row("of Deep Agents' 30 calibrated tasks", isCalibrated),
      row("all", () => true),
    ],
    note: `A question has a plan when the parser reads all of its words and the plan, over the whole files, gives the exact answer: ${unplanned.length - wrong} are not read, and ${wrong} give another answer than their key. It is played where its records fit below the trigger, .85 of the window.`,
  };
}

/** Returns each system in a window. */
export function windowTable(rows: readonly Row[], window: number, ofThread: number): Table {
  return {
    title: `Questions answered and what they cost, window of ${window / 1_000}k`,
    columns: [
      "system",
      "right",
      "of at most half a window",
      "worst thread",
      "calls",
      "calls again",
      "most in a thread",
      "tokens again",
      "whole bill a question",
      "after a compaction",
      "prompts over the window",
      "prompts without the question",
    ],
    rows: rows.filter((row) => row.window === window).map(cellsOf),
    note: `${ofThread} questions in a thread, one after the other. A scripted agent looks each step up in its prompt, word for word, and calls grep for what is not there: again, where it had been there. Its answer follows from the records in its last prompt; it gives up after four times the calls that the question takes from nothing. It knows the question, also where the prompt has lost it. The bill is that of \`cost\`, and 5 for a token that the agent writes. After a compaction: mean tokens of a prompt that is shorter than the one before. Full history is the control: no window binds it.`,
  };
}

function cellsOf({ system, sums, ...row }: Row): readonly (string | number)[] {
  return [
    system.name,
    `${row.right} of ${row.questions}`,
    `${row.rightRoomy} of ${row.roomy}`,
    percent(row.worstRight, 0),
    sums.calls,
    sums.callsAgain,
    row.worstAgain,
    Math.round(sums.tokensAgain),
    Math.round(sums.bill / row.questions),
    Math.round(sums.tokensOfShorter / sums.shorter),
    `${sums.unfit} of ${sums.prompts}`,
    sums.withoutQuestion,
  ];
}

type Measure = Pick<Comparison, "measure" | "unit" | "better" | "margin"> & {
  readonly value: (row: Row) => number;
};

/** Returns our measures beside those of the rivals whose prompts all fit. Pure. */
export function comparisonsOf(rows: readonly Row[]): readonly Comparison[] {
  const ours = rows.filter((row) => row.system.isOurs === true && rivalsOf(row, rows).length > 0);
  return ours.flatMap((row) =>
    measuresOf(row).map(({ measure, value, ...rest }) => ({
      measure: `Context-Bench, ${measure}, ${row.system.name}, window of ${row.window / 1_000}k`,
      ours: value(row),
      rivals: rivalsOf(row, rows).map((rival) => ({ name: rival.system.name, value: value(rival) })),
      ...rest,
    })),
  );
}

/** One question, one prompt or call in a hundred, and two hundredths of a bill count as level. */
function measuresOf({ questions, roomy, sums }: Row): readonly Measure[] {
  const share = { unit: "share", better: "higher" } as const;
  return [
    {
      measure: "questions answered",
      value: ({ right }) => right / questions,
      margin: 1 / questions,
      ...share,
    },
    {
      measure: "of those with records of at most half the window",
      value: ({ rightRoomy }) => rightRoomy / roomy,
      margin: 1 / roomy,
      ...share,
    },
    {
      measure: "prompts with the question in them",
      value: (row) => 1 - row.sums.withoutQuestion / row.sums.prompts,
      margin: 0.01,
      ...share,
    },
    {
      measure: "calls for what was there before",
      value: (row) => row.sums.callsAgain,
      margin: sums.calls / 100,
      unit: "count",
      better: "lower",
    },
    {
      measure: "whole bill a question",
      value: (row) => row.sums.bill / questions,
      margin: (0.02 * sums.bill) / questions,
      unit: "tokens",
      better: "lower",
    },
  ];
}
