import { runSets, type RunSet } from "../data/run-sets.js";
import type { Trajectory } from "../data/trajectory.js";
import { numbers, readOptions, text } from "../run/read-options.js";
import type { Suite } from "../suite.js";
import { billedSystems } from "./billed-systems.js";
import { billChoices } from "./choice-table.js";
import { constraintWords } from "./constraints.js";
import { costRow, type CostRow } from "./cost-row.js";
import { costFronts, frontComparisons, frontTable, isOnFront } from "./front-of-cost.js";
import { measureRuns, type CallCost } from "./measure-cost.js";
import { costTable } from "./report-cost.js";

/**
 * Measures what each system sends and bills at several of its settings, what that keeps of what the calls need, and whether
 * goal and constraints stay. `[--window N]… [--set TEXT]`
 */
export const cost: Suite = async ({ data, quick = false, args, progress }) => {
  const { window: windows, set: wanted } = readOptions(args, {
    window: numbers(4_000, quick || data === undefined ? [16_000] : [128_000, 32_000, 16_000]),
    set: text(""),
  });
  const sets = await runSets({ data, quick });
  const played = sets.filter(({ name }) => name.includes(wanted));
  if (played.length === 0) throw new Error(`--set is ${wanted}: no set of runs has that in its name`);
  const rows: CostRow[] = [];
  for (const set of played) rows.push(...(await measureSet(set, { sets, windows, progress })));
  const ours = rows.filter(({ isOurs }) => isOurs);
  const fronts = costFronts(rows);
  const judged = fronts.filter(({ calls }) => calls >= minCalls);
  const small = fronts.filter(({ calls }) => calls < minCalls);
  return {
    suite: "cost",
    question: "What does each system send and bill at the recall that it has, and does it keep the goal?",
    cases: ours.reduce((sum, { calls }) => sum + calls, 0),
    passed: ours.every(isSound) && judged.every(isOnFront),
    tables: [frontTable(fronts), costTable(rows)],
    choices: [billChoices(rows)],
    comparisons: frontComparisons(judged),
    tooSmall: small.map(
      ({ set, window, calls }) =>
        `the front of bills of ${set} in a window of ${window}: it has ${calls} calls.`,
    ),
    numbers: { rows },
  };
};

/** Calls below which a front is not judged: in one short run the bills of settings are too far apart to compare at one recall. */
const minCalls = 100;

function isSound({ calls, goal, illegal, peak, window }: CostRow): boolean {
  return calls > 0 && goal === 1 && illegal === 0 && peak <= window;
}

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
  for (const [at, billed] of billedSystems().entries()) {
    const { system, setting, isOurs, author, unbudgeted } = billed;
    let known: readonly (readonly CallCost[])[] = [];
    for (const window of windows) {
      progress(`${at}/${billedSystems().length} ${set}, ${system}, ${setting} at ${window}`);
      const isBounded = unbudgeted !== true;
      if (isBounded || known.length === 0)
        known = await measureRuns(trajectories, billed, { window, other: control });
      rows.push(costRow({ set, system, setting, isOurs, author, isBounded, window }, known));
    }
  }
  return rows.toSorted((one, other) => windows.indexOf(one.window) - windows.indexOf(other.window));
}

/** True for a run of another set whose user stated constraints. */
function isControl(run: Trajectory, own: readonly Trajectory[]): boolean {
  return !own.includes(run) && constraintWords(run.messages).length > 0;
}
