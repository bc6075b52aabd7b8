import { sessionSets } from "../data/run-sets.js";
import type { Trajectory } from "../data/trajectory.js";
import type { Comparison, Suite, Table } from "../suite.js";
import { generateMeteredRun } from "./generate-metered-run.js";
import { meters } from "./meters.js";
import { recordedPrompts } from "./recorded-prompts.js";

/** Largest median error of our meter, as a share of the real tokens. */
const asked = 0.03;
/** Calls at the start of a run that a meter may calibrate on. */
const learningCalls = 2;

interface Row {
  readonly set: string;
  readonly meter: string;
  readonly isOurs: boolean;
  readonly prompts: number;
  readonly median: number;
  readonly p95: number;
  /** Median of estimate / real. */
  readonly ratio: number;
  /** Share of prompts under-counted by more than a tenth: there a trigger fires too late. */
  readonly under: number;
}

/** Measures the error of each meter against the prompt tokens that providers reported. */
export const counter: Suite = async ({ data, quick = false, progress }) => {
  const seeds = quick ? [1] : [1, 2];
  const sets = new Map<string, readonly Trajectory[]>([["generated", seeds.map(generateMeteredRun)]]);
  for (const { name, trajectories } of data === undefined ? [] : sessionSets(data))
    sets.set(name, trajectories);
  const rows: Row[] = [];
  for (const [set, trajectories] of sets) {
    progress(`${rows.length / meters.length}/${sets.size} ${set}`);
    rows.push(
      ...meters.map((meter) => ({
        set,
        meter: meter.name,
        isOurs: meter.isOurs,
        ...errorsOf(trajectories, meter),
      })),
    );
  }
  const ours = rows.filter(({ meter }) => meter === meters[0]?.name);
  return {
    suite: "counter",
    question: "How accurately is the size of the next prompt known before it is sent?",
    cases: ours.reduce((sum, { prompts }) => sum + prompts, 0),
    passed: ours.every(({ prompts, median }) => prompts > 0 && median <= asked),
    tables: [table(rows)],
    charts: [],
    comparisons: ours.map((own) => comparison(own, rows)),
    numbers: { asked, rows },
  };
};

function errorsOf(trajectories: readonly Trajectory[], meter: (typeof meters)[number]) {
  const ratios = trajectories.flatMap((trajectory) => {
    const prompts = recordedPrompts(trajectory);
    const [first] = prompts;
    if (first === undefined) return [];
    const measure = meter.start(first);
    return prompts
      .filter(({ call }) => call >= learningCalls)
      .map(({ messages, inputTokens }) => measure(messages) / inputTokens);
  });
  const errors = ratios.map((ratio) => Math.abs(ratio - 1));
  return {
    prompts: ratios.length,
    median: quantile(errors, 0.5),
    p95: quantile(errors, 0.95),
    ratio: quantile(ratios, 0.5),
    under: ratios.filter((ratio) => ratio < 0.9).length / ratios.length,
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function table(rows: readonly Row[]): Table {
  return {
    title: "Error of the prompt size, against what the provider reported",
    columns: [
      "set",
      "meter",
      "prompts",
      "median error",
      "95 % of errors below",
      "estimate / real",
      "under-counted by > 10 %",
    ],
    rows: rows.map((row) => [
      row.set,
      row.meter,
      row.prompts,
      percent(row.median),
      percent(row.p95),
      row.ratio.toFixed(2),
      percent(row.under),
    ]),
    note:
      "measureContext starts from the usage of the previous call. Right after a fold that usage no longer applies: that row uses what was learned ten " +
      "calls before. From the third call of a run on, and from the third after a recorded compaction. Recorded runs hold neither system prompt nor tool " +
      "schemas (about 24,000 tokens of every Claude Code prompt), so a meter that does not learn from usage cannot know them; the last " +
      "two rows are given that size. The usage of generated runs is the o200k count of their messages times 1.3 plus 9,000.",
  };
}

function comparison(own: Row, rows: readonly Row[]): Comparison {
  return {
    measure: `median error of the prompt size, ${own.set}`,
    unit: "share",
    better: "lower",
    ours: own.median,
    rivals: rows
      .filter(({ set, isOurs }) => set === own.set && !isOurs)
      .map(({ meter, median }) => ({ name: meter, value: median })),
    margin: 0.005,
  };
}
