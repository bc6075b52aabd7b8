import { percent } from "../report/format-value.js";
import { tableOf, type Column } from "../report/table-of.js";
import type { Comparison, Table } from "../suite.js";
import { fits, type QuestionSet } from "./question-set.js";
import type { Question } from "./questions.js";
import { rivalsOf, type Row } from "./rows.js";

/** Returns how many questions of each kind are played, and why the others are not. Names and numbers of theirs stay out of it. */
export function plannedTable({ name, planned, unplanned }: QuestionSet, windows: readonly number[]): Table {
  const all = [...planned, ...unplanned];
  const kinds = [...new Set(all.map(({ kind }) => kind))].toSorted();
  const wrong = unplanned.filter(({ why }) => why.startsWith("its plan")).length;
  const played = windows.map((window): Column<string> => [
    `played at ${window / 1_000}k`,
    (kind) =>
      countOf(
        planned.filter((question) => fits(question, window)),
        kind,
      ),
  ]);
  return tableOf([...kinds, anyKind], {
    title: `Questions that are played, ${name}`,
    columns: [
      ["kind", (kind) => kind],
      ["questions", (kind) => countOf(all, kind)],
      ["with a plan", (kind) => countOf(planned, kind)],
      ...played,
    ],
    note: `A question has a plan when the parser reads all of its words and the plan, over the whole files, gives the exact answer: ${unplanned.length - wrong} are not read, and ${wrong} give another answer than their key. It is played where its records fit below the trigger, .85 of the window.`,
  });
}

const anyKind = "all";

function countOf(questions: readonly Pick<Question, "kind">[], wanted: string): number {
  return questions.filter(({ kind }) => wanted === anyKind || kind === wanted).length;
}

/** Returns each system in a window. */
export function windowTable(rows: readonly Row[], window: number, ofThread: number): Table {
  return tableOf(
    rows.filter((row) => row.window === window),
    {
      title: `Questions answered and what they cost, window of ${window / 1_000}k`,
      columns: [
        ["system", ({ system }) => system.name],
        ["right", ({ right, questions }) => `${right} of ${questions}`],
        ["of at most half a window", ({ rightRoomy, roomy }) => `${rightRoomy} of ${roomy}`],
        ["worst thread", ({ worstRight }) => percent(worstRight, 0)],
        ["calls", ({ sums }) => sums.calls],
        ["calls again", ({ sums }) => sums.callsAgain],
        ["tokens again", ({ sums }) => Math.round(sums.tokensAgain)],
        ["whole bill a question", ({ sums, questions }) => Math.round(sums.bill / questions)],
        ["after a compaction", ({ sums }) => Math.round(sums.tokensOfShorter / sums.shorter)],
        ["prompts over the window", ({ sums }) => `${sums.unfit} of ${sums.prompts}`],
        ["prompts without the question", ({ sums }) => sums.withoutQuestion],
      ],
      note: `${ofThread} questions in a thread, one after the other. A scripted agent looks each step up in its prompt, word for word, and calls grep for what is not there: again, where it had been there. Its answer follows from the records in its last prompt; it gives up after four times the calls that the question takes from nothing. It knows the question, also where the prompt has lost it. The bill is that of \`cost\`, and 5 for a token that the agent writes. After a compaction: mean tokens of a prompt that is shorter than the one before. Full history is the control: no window binds it.`,
    },
  );
}

/** A measure of a row, and the difference of it that counts as level. */
type Measure = Pick<Comparison, "measure" | "unit" | "better"> & {
  readonly value: (row: Row) => number;
  readonly margin: (row: Row) => number;
};

/** One question, one prompt or call in a hundred, and two hundredths of a bill count as level. */
const measures: readonly Measure[] = [
  {
    measure: "questions answered",
    unit: "share",
    better: "higher",
    value: ({ right, questions }) => right / questions,
    margin: ({ questions }) => 1 / questions,
  },
  {
    measure: "of those with records of at most half the window",
    unit: "share",
    better: "higher",
    value: ({ rightRoomy, roomy }) => rightRoomy / roomy,
    margin: ({ roomy }) => 1 / roomy,
  },
  {
    measure: "prompts with the question in them",
    unit: "share",
    better: "higher",
    value: ({ sums }) => 1 - sums.withoutQuestion / sums.prompts,
    margin: () => 0.01,
  },
  {
    measure: "calls for what was there before",
    unit: "count",
    better: "lower",
    value: ({ sums }) => sums.callsAgain,
    margin: ({ sums }) => sums.calls / 100,
  },
  {
    measure: "whole bill a question",
    unit: "tokens",
    better: "lower",
    value: ({ sums, questions }) => sums.bill / questions,
    margin: ({ sums, questions }) => (0.02 * sums.bill) / questions,
  },
];

/** Returns our measures beside those of the rivals whose prompts all fit. Pure. */
export function comparisonsOf(rows: readonly Row[]): readonly Comparison[] {
  const ours = rows.filter((row) => row.system.isOurs === true && rivalsOf(row, rows).length > 0);
  return ours.flatMap((row) =>
    measures.map(({ measure, value, margin, ...rest }) => ({
      measure: `Context-Bench, ${measure}, ${row.system.name}, window of ${row.window / 1_000}k`,
      ours: value(row),
      rivals: rivalsOf(row, rows).map((rival) => ({ name: rival.system.name, value: value(rival) })),
      margin: margin(row),
      ...rest,
    })),
  );
}
