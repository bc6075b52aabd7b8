import { runSets } from "../data/run-sets.js";
import type { Trajectory } from "../data/trajectory.js";
import { fullHistory } from "../policies/full-history.js";
import { maskResults } from "../policies/mask-results.js";
import { compactionPolicies } from "../policies/policies.js";
import { palimpsestLadder } from "../policies/palimpsest-ladder.js";
import { recency } from "../policies/recency.js";
import type { Suite } from "../suite.js";
import { constraintWords } from "./constraints.js";
import { costRow, type CostRow } from "./cost-row.js";
import { measureCost, type CallCost } from "./measure-cost.js";
import { billComparison, costTable, curveChart, keepTable } from "./report-cost.js";

const mask = maskResults(10);
const policies = [fullHistory, mask, recency, ...compactionPolicies];

/** Measures what each policy sends, what of it a cache holds, and what it keeps of goal and constraints. */
export const cost: Suite = async ({ data, quick = false, progress }) => {
  const sets = runSets({ data, quick, sets: ["claude-code-sessions", "pi-sessions"] });
  const everyRun = sets.flatMap(({ trajectories }) => trajectories);
  const windows = quick ? [16_000] : [32_000, 16_000];
  const rows: CostRow[] = [];
  // What has no budget is the same in every window.
  const unbudgeted = new Map(
    [fullHistory, mask].map((policy) => [policy, new Map<Trajectory, readonly CallCost[]>()]),
  );
  const most = sets.length * windows.length * policies.length;
  for (const { name: set, trajectories } of sets) {
    for (const window of windows) {
      for (const policy of policies) {
        progress(`${rows.length}/${most} ${set}, ${policy.name} at ${window}`);
        const runs: (readonly CallCost[])[] = [];
        for (const trajectory of trajectories) {
          const other = everyRun.find((run) => isControl(run, trajectories)) ?? trajectory;
          const known = unbudgeted.get(policy)?.get(trajectory);
          const calls = known ?? (await measureCost(trajectory, policy, { window, other }));
          unbudgeted.get(policy)?.set(trajectory, calls);
          runs.push(calls);
        }
        rows.push(costRow({ set, policy: policy.name, window }, runs));
      }
    }
  }
  const ours = rows.filter(({ policy }) => policy === palimpsestLadder.name);
  const names = [...new Set(rows.map(({ set }) => set))];
  return {
    suite: "cost",
    question: "What does each policy send and bill, and does it keep the goal?",
    cases: ours.reduce((sum, { calls }) => sum + calls, 0),
    passed: ours.every(
      (own) => own.calls > 0 && own.goal === 1 && own.illegal === 0 && own.peak <= own.window,
    ),
    tables: [costTable(rows), keepTable(rows)],
    charts: names.flatMap((set) => windows.map((window) => curveChart(rows, set, window))),
    comparisons: ours.map((own) => billComparison(own, rows)),
    numbers: { rows },
  };
};

/** True for a run of another set whose user said what must be kept to. */
function isControl(run: Trajectory, own: readonly Trajectory[]): boolean {
  return !own.includes(run) && constraintWords(run.messages).length > 0;
}
