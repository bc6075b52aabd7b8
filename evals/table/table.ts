import { measureRuns } from "../cost/measure-cost.js";
import { SummaryMeter } from "../cost/summary-meter.js";
import { generateTrajectory } from "../data/made/generate-trajectory.js";
import { sessionSets, type RunSet } from "../data/run-sets.js";
import { fullHistory } from "../policies/unbudgeted.js";
import { number, numbers, readOptions, text } from "../run/read-options.js";
import type { Suite, SuiteOptions } from "../suite.js";
import { dominatorsOf, pickedComparisons } from "./compare-rows.js";
import { pickedOf } from "./picks.js";
import { policyOf } from "./play-system.js";
import { pickedChart, pickedTable } from "./report-table.js";
import { tableSystems } from "./systems.js";
import { tableRow, type TableRow } from "./table-row.js";

/**
 * The open table: packages that one can install, on the same runs, in the same window, with the same summary model.
 * `[--window N]… [--seeds N] [--set TEXT]`
 */
export const table: Suite = async ({ data, quick = false, args, progress }) => {
  const {
    window: windows,
    seeds,
    set,
  } = readOptions(args, {
    window: numbers(4_000, [quick ? 16_000 : 32_000]),
    seeds: number(1, quick ? 2 : data === undefined ? 4 : 8),
    set: text(""),
  });
  const sets = (await runSets({ data, quick, seeds })).filter(({ name }) => name.includes(set));
  if (sets.length === 0) throw new Error(`--set is ${set}: no set of runs has that in its name`);
  const rows: TableRow[] = [];
  for (const window of windows) for (const one of sets) rows.push(...(await playSet(one, window, progress)));
  const picked = pickedOf(rows);
  const judged = picked.filter(({ rows: [first] }) => (first?.calls ?? 0) >= minCalls);
  const dominated = judged.flatMap((one) =>
    dominatorsOf(one).map(({ system }) => ({ ...one, by: system.name })),
  );
  const ours = rows.filter(({ system }) => system.isOurs === true);
  return {
    suite: "table",
    question:
      "Packages that one can install, on the same runs, in the same window, with the same summary model: what does each keep and bill?",
    cases: ours.reduce((sum, { calls }) => sum + calls, 0),
    passed: ours.length > 0 && ours.every(isSound) && dominated.length === 0,
    tables: picked.map(pickedTable),
    charts: picked.map(pickedChart),
    comparisons: judged.flatMap(pickedComparisons),
    tooSmall: picked
      .filter((one) => !judged.includes(one))
      .map((one) => `the ${one.choice} on ${one.set}: they have fewer than ${minCalls} calls.`),
    numbers: {
      windows,
      seeds,
      rows: rows.map(numbersOf),
      dominated: dominated.map(({ set, window, choice, by }) => ({ set, window, choice, by })),
    },
  };
};

/** Calls below which no row is judged beside another. */
const minCalls = 100;

/** Returns the generated runs and the recorded ones. */
async function runSets(given: {
  readonly data: string | undefined;
  readonly quick: boolean;
  readonly seeds: number;
}): Promise<readonly RunSet[]> {
  const trajectories = Array.from({ length: given.seeds }, (_, seed) =>
    generateTrajectory({ seed: seed + 1, steps: given.quick ? 60 : 120 }),
  );
  const recorded = given.data === undefined ? [] : await sessionSets(given.data);
  return [{ name: "generated", trajectories }, ...recorded];
}

/** Returns every system at each of its settings, over the runs of a set. */
async function playSet(
  { name: set, trajectories }: RunSet,
  window: number,
  progress: SuiteOptions["progress"],
): Promise<readonly TableRow[]> {
  const full = await measureRuns(trajectories, { policy: fullHistory }, { window });
  const rows: TableRow[] = [];
  for (const system of tableSystems) {
    for (const [setting, start] of Object.entries(system.settings)) {
      progress(`${set}, ${system.name}, ${setting} at ${window}`);
      const meter = new SummaryMeter();
      const played = { policy: policyOf(system, start, meter), meter };
      const runs = await measureRuns(trajectories, played, { window });
      rows.push(tableRow({ set, window, system, setting, runs, full }));
    }
  }
  return rows;
}

function isSound({ calls, unfit, illegal, goal }: TableRow): boolean {
  return calls > 0 && unfit === 0 && illegal === 0 && goal === 1;
}

/** What a program reads of a row: all but the single calls. */
function numbersOf({ system, runs: _runs, full: _full, ...row }: TableRow) {
  return { system: system.name, package: system.package, isOurs: system.isOurs === true, ...row };
}
