import { chunksOf } from "../data/chunks.js";
import { dialogueSets, readTrajectories, sessionFolders } from "../data/read-trajectories.js";
import { number, readOptions } from "../run/read-options.js";
import type { Suite } from "../suite.js";
import { growthChart } from "./growth-chart.js";
import { foldThread } from "./fold-thread.js";
import { heldLaws, lawTable } from "./held-laws.js";
import { browsingChoices, generatedTable, recordedTable, type FoldedRun } from "./tables.js";
import { habits, webSteps } from "./web-steps.js";

/**
 * Folds generated and recorded runs with the real node: `[--seeds N]`, the generated runs of 100 steps for each habit of
 * a model, with half as many of 500; `[--steps N]`, the steps of the longest run, which are fewer without recorded ones; and
 * `[--limit N]`, the most runs of each recorded set.
 */
export const folding: Suite = async ({ data, quick = false, args, progress }) => {
  const { seeds, steps, limit } = readOptions(args, {
    seeds: number(1, quick ? 1 : 2),
    steps: number(100, quick ? 100 : data === undefined ? 300 : 1_000),
    limit: number(0, quick ? 1 : 20),
  });
  const runs: FoldedRun[] = [];
  for (const run of planOf(seeds, steps, quick)) {
    progress(`${runs.length} generated runs: ${run.steps} steps, a model that ${run.name}`);
    runs.push({ name: run.name, ...(await foldThread(webSteps(run))) });
  }
  const recorded: FoldedRun[] = [];
  const sets = data === undefined ? [] : [...sessionFolders(data), ...dialogueSets];
  const trajectories = data === undefined ? [] : await readTrajectories(data, { limit, sets });
  for (const { set, id, messages } of trajectories) {
    progress(`${recorded.length}/${trajectories.length} recorded runs: ${set} ${id}`);
    recorded.push({ name: set, ...(await foldThread(chunksOf(messages).map((chunk) => chunk.messages))) });
  }
  const laws = heldLaws(runs, recorded);
  return {
    suite: "folding",
    question:
      "Does a context that folds at several scales stay small however long the run, and does every step come back from it?",
    cases: runs.length + recorded.length,
    passed: runs.length > 0 && laws.every(({ held }) => held),
    tables: [
      generatedTable(runs),
      ...(recorded.length === 0 ? [] : [recordedTable(recorded)]),
      lawTable(laws),
    ],
    choices: [browsingChoices(runs)],
    charts: [growthChart(runs)],
    numbers: { seeds, limit, laws, runs: [...runs, ...recorded].map(shortened) },
  };
};

/** Returns the generated runs: each habit with every seed, with half of them for longer, and the first for longest. */
function planOf(seeds: number, longest: number, quick: boolean) {
  return [
    ...runsOf(seeds, 100),
    ...(quick ? [] : runsOf(Math.ceil(seeds / 2), Math.min(500, longest))),
    ...(quick || longest <= 500 ? [] : runsOf(1, longest).slice(0, 1)),
  ];
}

function runsOf(seeds: number, steps: number) {
  return habits.flatMap((habit) =>
    Array.from({ length: seeds }, (_, at) => ({ ...habit, seed: at + 1, steps })),
  );
}

/** A curve of 10,000 points says no more than one of 100. */
function shortened({ points, ...run }: FoldedRun) {
  const every = Math.max(1, Math.ceil(points.length / 100));
  return { ...run, points: points.filter((_, index) => index % every === 0 || index === points.length - 1) };
}
