import { wholeBill } from "../cost/cost-row.js";
import type { CallCost } from "../cost/measure-cost.js";
import { estimateOf, ratioOf, type Estimate } from "../metrics/estimate.js";
import type { TableSystem } from "./table-system.js";
import { sumOf } from "../metrics/sum-of.js";

/** The calls of a system at a setting, run by run, and the calls of the full history over the same runs. */
export interface Played {
  readonly set: string;
  readonly window: number;
  readonly system: TableSystem;
  readonly setting: string;
  readonly runs: readonly (readonly CallCost[])[];
  readonly full: readonly (readonly CallCost[])[];
}

/** What a system keeps and bills at a setting. */
export interface TableRow extends Played {
  readonly calls: number;
  /** Mean share of what a call needs that is in its prompt. */
  readonly recall: Estimate;
  /** Prompts, summaries and reading again, as a share of the prompts of the full history. */
  readonly bill: Estimate;
  /** Mean tokens of a prompt. */
  readonly tokens: number;
  /** Prompts over the window, and empty ones. */
  readonly unfit: number;
  /** Rules of providers that prompts broke and the thread did not, in every eighth prompt. */
  readonly illegal: number;
  /** Share of the prompts with the first and the newest user message. */
  readonly goal: number;
}

/** Returns the sums, means and intervals of what was played. */
export function tableRow(played: Played): TableRow {
  const { runs, window } = played;
  const calls = runs.flat();
  const sum = (value: (call: CallCost) => number) => sumOf(calls, value);
  return {
    ...played,
    calls: calls.length,
    recall: known(estimateOf(runs.map((run) => run.flatMap(({ recall }) => recall ?? [])))),
    bill: billBeside(played, (call) => wholeBill(call)),
    tokens: sum(({ tokens }) => tokens) / calls.length,
    unfit: sum(({ tokens, isEmpty }) => (isEmpty || tokens > window ? 1 : 0)),
    illegal: sum(({ illegal }) => illegal),
    goal: sum(({ hasGoal }) => (hasGoal ? 1 : 0)) / calls.length,
  };
}

/** Returns how much more of what is needed one row has in its prompts than another, call by call. */
export function recallDifference(one: TableRow, other: TableRow): Estimate {
  return known(
    estimateOf(
      one.runs.map((run, at) =>
        run.flatMap(({ recall }, call) => {
          const theirs = other.runs[at]?.[call]?.recall;
          return recall === undefined || theirs === undefined ? [] : [recall - theirs];
        }),
      ),
    ),
  );
}

/** Returns how much more one row bills than another, call by call, as a share of the bill of the full history. */
export function billDifference(one: TableRow, other: TableRow): Estimate {
  return billBeside(one, (call, at) => wholeBill(call) - wholeBill(other.runs[at.run]?.[at.call] ?? call));
}

interface Place {
  readonly run: number;
  readonly call: number;
}

function billBeside({ runs, full }: Played, value: (call: CallCost, at: Place) => number): Estimate {
  return known(
    ratioOf(
      runs.map((calls, run) =>
        calls.map((cost, call) => {
          const all = full[run]?.[call];
          return { value: value(cost, { run, call }), over: all === undefined ? 0 : wholeBill(all) };
        }),
      ),
    ),
  );
}

function known(estimate: Estimate | undefined): Estimate {
  if (estimate === undefined) throw new Error("No call was measured: the runs have none");
  return estimate;
}
