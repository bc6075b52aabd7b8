import { dialogueSets, readTrajectories, sessionFolders } from "../data/read-trajectories.js";
import { number, readOptions } from "../run/read-options.js";
import type { Suite, SuiteResult } from "../suite.js";
import { browsingChoices } from "./choice-table.js";
import { growthChart, blocksChart } from "./charts.js";
import { malformedDirectives } from "./malformed-directives.js";
import { habits, measureGenerated, measureRecorded, type FoldedRun } from "./measure-runs.js";
import { generatedTable, malformedTable, recordedTable } from "./tables.js";
import { heldLaws } from "./held-laws.js";
import { tableOf } from "../report/table-of.js";

/**
 * Folds generated and recorded runs with the real node: `[--seeds N]`, the generated runs of 100 steps for each habit of
 * a model, with half as many of 500; `[--steps N]`, the steps of the longest run, which are fewer without recorded ones; and
 * `[--limit N]`, the most runs of each recorded set.
 */
export const folding: Suite = async ({ data, quick = false, args, progress }): Promise<SuiteResult> => {
  const { seeds, longest, limit } = settingsOf(args, quick, data);
  const half = seeds.slice(0, Math.ceil(seeds.length / 2));
  const names = Object.keys(habits);
  const plan = [
    ...names.flatMap((name) => seeds.map((seed) => ({ name, seed, steps: 100 }))),
    ...(quick
      ? []
      : names.flatMap((name) => half.map((seed) => ({ name, seed, steps: Math.min(500, longest) })))),
    ...(quick || longest <= 500 ? [] : [{ name: names[0] ?? "", seed: 1, steps: longest }]),
  ];
  const runs: FoldedRun[] = [];
  for (const [index, { name, seed, steps }] of plan.entries()) {
    progress(`${index}/${plan.length} generated runs: ${steps} steps, a model that ${name}`);
    runs.push(await measureGenerated(name, seed, steps));
  }
  const trajectories =
    data === undefined
      ? []
      : await readTrajectories(data, { limit, sets: [...sessionFolders(data), ...dialogueSets] });
  const recorded: FoldedRun[] = [];
  for (const [index, trajectory] of trajectories.entries()) {
    progress(`${index}/${trajectories.length} recorded runs: ${trajectory.set} ${trajectory.id}`);
    recorded.push(await measureRecorded(trajectory, index));
  }
  progress("malformed directives");
  const malformed = await malformedDirectives(quick ? 200 : data === undefined ? 1_500 : 10_000);
  const laws = heldLaws({ runs, recorded, malformed });
  return {
    suite: "folding",
    question:
      "Does a context that folds at several scales stay small however long the run, and does every step come back from it?",
    cases: runs.length + recorded.length,
    passed: runs.length > 0 && laws.every(({ held }) => held),
    tables: [
      generatedTable(runs),
      ...(recorded.length === 0 ? [] : [recordedTable(recorded)]),
      malformedTable(malformed),
      tableOf(laws, {
        title: "Requirements",
        columns: [
          ["law", ({ law }) => law],
          ["measured", ({ measured }) => measured],
          ["held", ({ held }) => (held ? "yes" : "no")],
        ],
      }),
    ],
    choices: [browsingChoices(runs)],
    charts: [growthChart(runs), blocksChart(runs)],
    numbers: { seeds, limit, malformed, laws, runs: [...runs, ...recorded].map(shortened) },
  };
};

function settingsOf(args: readonly string[], quick: boolean, data: string | undefined) {
  const { seeds, steps, limit } = readOptions(args, {
    seeds: number(1, quick ? 1 : 2),
    steps: number(100, quick ? 100 : data === undefined ? 300 : 1_000),
    limit: number(0, quick ? 1 : 20),
  });
  return { seeds: Array.from({ length: seeds }, (_, index) => index + 1), longest: steps, limit };
}

/** A curve of 10,000 points says no more than one of 100. */
function shortened({ points, ...run }: FoldedRun) {
  const every = Math.max(1, Math.ceil(points.length / 100));
  return { ...run, points: points.filter((_, index) => index % every === 0 || index === points.length - 1) };
}
