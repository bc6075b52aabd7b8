import { runSets, type RunSet } from "../data/run-sets.js";
import type { Trajectory } from "../data/trajectory.js";
import type { Suite } from "../suite.js";
import { billedPolicies, held } from "./billed-policies.js";
import { boundTable } from "./bound-table.js";
import { constraintWords } from "./constraints.js";
import { costRow, type CostRow } from "./cost-row.js";
import { measureCost, type CallCost } from "./measure-cost.js";
import { billComparison, costTable, curveChart, keepTable } from "./report-cost.js";

/** Measures what each policy sends, how much of it is cached, and whether goal and constraints stay. */
export const cost: Suite = async ({ data, quick = false, progress }) => {
  const sets = runSets({ data, quick });
  const windows = quick ? [16_000] : [128_000, 32_000, 16_000];
  const rows: CostRow[] = [];
  for (const set of sets) {
    rows.push(...(await measureSet(set, { sets, windows, progress })));
  }
  const ours = rows.filter(({ policy }) => held.has(policy));
  return {
    suite: "cost",
    question: "What does each policy send and bill, and does it keep the goal?",
    cases: ours.reduce((sum, { calls }) => sum + calls, 0),
    passed: ours.every(
      (own) => own.calls > 0 && own.goal === 1 && own.illegal === 0 && own.peak <= own.window,
    ),
    tables: [costTable(rows), boundTable(rows), keepTable(rows)],
    charts: sets.flatMap(({ name }) => windows.map((window) => curveChart(rows, name, window))),
    comparisons: ours.map((own) => billComparison(own, rows)),
    numbers: { rows },
  };
};

interface MeasureSetOptions {
  readonly sets: readonly RunSet[];
  readonly windows: readonly number[];
  readonly progress: (line: string) => void;
}

async function measureSet(
  { name: set, trajectories }: RunSet,
  { sets, windows, progress }: MeasureSetOptions,
): Promise<readonly CostRow[]> {
  const rows: CostRow[] = [];
  const control = sets.flatMap((one) => one.trajectories).find((run) => isControl(run, trajectories));
  for (const billed of billedPolicies()) {
    const { policy, unbudgeted } = billed;
    let known: readonly (readonly CallCost[])[] = [];
    for (const window of windows) {
      progress(`${set}, ${policy.name} at ${window}`);
      const runs = unbudgeted === true ? [...known] : [];
      for (const trajectory of trajectories.slice(runs.length)) {
        runs.push(await measureCost(trajectory, billed, { window, other: control ?? trajectory }));
      }
      known = runs;
      rows.push(costRow({ set, policy: policy.name, window }, runs));
    }
  }
  return rows.toSorted((one, other) => windows.indexOf(one.window) - windows.indexOf(other.window));
}

/** True for a run of another set whose user stated constraints. */
function isControl(run: Trajectory, own: readonly Trajectory[]): boolean {
  return !own.includes(run) && constraintWords(run.messages).length > 0;
}
