import { number, numbers, readOptions } from "../run/read-options.js";
import type { Suite, SuiteResult, Table } from "../suite.js";
import { generateTrajectory } from "../data/made/generate-trajectory.js";
import { dialogueSets, readTrajectories, sessionFolders } from "../data/read-trajectories.js";
import { replayTrajectory, type ReplayResult } from "./replay-trajectory.js";
import { groupsOf } from "../metrics/groups-of.js";
import { sumOf } from "../metrics/sum-of.js";
import { tableOf } from "../report/table-of.js";

const counts = [
  "prompts",
  "threadTokens",
  "promptsOver",
  "promptsOverUnreported",
  "illegal",
  "promptsWithoutGoal",
  "brokenPointers",
] as const;
type Count = (typeof counts)[number];

interface ReplayRow extends Pick<ReplayResult, "set" | "peakPromptTokens" | "folds" | Count> {
  readonly runs: number;
  /** Runs of which every message came back byte for byte. */
  readonly intact: number;
}

/** Returns one row for each set of runs. */
function summarizeReplays(results: readonly ReplayResult[]): readonly ReplayRow[] {
  return groupsOf(results, (result) => result.set).map(([set, runs]) => {
    const sum = (field: Count) => sumOf(runs, (run) => run[field]);
    return {
      set,
      runs: runs.length,
      intact: runs.filter((run) => run.intact).length,
      peakPromptTokens: Math.max(...runs.map((run) => run.peakPromptTokens)),
      folds: addFolds(runs),
      ...(Object.fromEntries(counts.map((field) => [field, sum(field)])) as Record<Count, number>),
    };
  });
}

function addFolds(runs: readonly ReplayResult[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const run of runs) {
    for (const [kind, count] of Object.entries(run.folds)) total[kind] = (total[kind] ?? 0) + count;
  }
  return total;
}

/** One window and the runs that were played in it. */
interface Play {
  readonly window: number;
  readonly tight: boolean;
  readonly results: readonly ReplayResult[];
  readonly rows: readonly ReplayRow[];
}

/**
 * Replays runs of agents through the real node, with default and with tight options: `[--window N]… [--limit N]`;
 * `--limit` is for each recorded set.
 */
export const replay: Suite = async ({ data, quick = false, args, progress }): Promise<SuiteResult> => {
  const { window: windows, limit } = readOptions(args, {
    window: numbers(1_000, quick ? [8_000] : [8_000, 12_000, 16_000, 32_000]),
    limit: number(1, quick ? 1 : 20),
  });
  const seeds = quick ? [1] : [1, 2, 3];
  const generated = seeds.map((seed) => generateTrajectory({ seed }));
  const runs =
    data === undefined
      ? generated
      : [
          ...generated,
          ...(await readTrajectories(data, { limit, sets: [...sessionFolders(data), ...dialogueSets] })),
        ];
  const plays: Play[] = [];
  for (const window of windows) {
    for (const tight of [false, true]) {
      const results: ReplayResult[] = [];
      for (const [index, run] of runs.entries()) {
        progress(`${window}${tight ? ", tight" : ""}: ${index}/${runs.length} runs, ${run.set} ${run.id}`);
        results.push(await replayTrajectory(run, { window, tight }));
      }
      plays.push({ window, tight, results, rows: summarizeReplays(results) });
    }
  }
  return {
    suite: "replay",
    question:
      "Does the ladder keep every prompt legal and inside the window, with the goal in it, and give back every byte?",
    cases: plays.reduce((sum, { results }) => sum + results.length, 0),
    passed: plays.length > 0 && plays.every(({ rows }) => rows.length > 0 && rows.every(isSound)),
    tables: plays.map(table),
    numbers: {
      windows,
      limit,
      seeds,
      plays: plays.map(({ window, tight, rows }) => ({ window, tight, rows })),
    },
  };
};

/** A prompt over the window is sound only where an event says that nothing in it can be shortened. */
function isSound(row: ReplayRow): boolean {
  const faults = row.illegal + row.brokenPointers + row.promptsWithoutGoal + row.promptsOverUnreported;
  return row.intact === row.runs && faults === 0;
}

function table({ rows, window, tight }: Play): Table {
  return tableOf(rows, {
    title: `The ladder at a window of ${window.toLocaleString("en")} tokens${tight ? ", tight options" : ""}`,
    columns: [
      ["runs of", (row) => row.set],
      ["runs", (row) => row.runs],
      ["prompts", (row) => row.prompts],
      ["tokens of the runs", (row) => row.threadTokens],
      ["largest prompt", (row) => row.peakPromptTokens],
      ["prompts over the window", (row) => row.promptsOver],
      ["of them without an event", (row) => row.promptsOverUnreported],
      ["unfold byte for byte", (row) => `${row.intact} of ${row.runs}`],
      ["broken rules", (row) => row.illegal],
      ["broken pointers", (row) => row.brokenPointers],
      ["prompts without the goal", (row) => row.promptsWithoutGoal],
      [
        "folds",
        (row) =>
          Object.entries(row.folds)
            .map(([kind, number]) => `${number} ${kind}`)
            .join(", ") || "none needed",
      ],
    ],
    note: "Tight: results over a sixteenth of the window are offloaded, inputs over 500 characters truncated, and the trigger is at 60 %. Tokens are estimated. The runs come from agents that saw everything: this shows what was kept and can be restored, not how an agent would have acted.",
  });
}
