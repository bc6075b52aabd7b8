import { number, numbers, readOptions } from "../run/read-options.js";
import type { Chart, Suite, SuiteResult, Table } from "../suite.js";
import { generateTrajectory } from "../data/made/generate-trajectory.js";
import { dialogueSets, readTrajectories, sessionFolders } from "../data/read-trajectories.js";
import { replayTrajectory, type ReplayResult } from "./replay-trajectory.js";
import { summarizeReplays, type ReplayRow } from "./summarize-replays.js";
import { tableOf } from "../report/table-of.js";

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
    charts: plays
      .slice(0, 1)
      .flatMap(({ window, results }) => results.slice(0, 1).map((result) => sawtooth(result, window))),
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

function sawtooth({ id, set, curve }: ReplayResult, window: number): Chart {
  return {
    title: `Prompt sizes of one run (${set} ${id})`,
    x: { label: "model call", scale: "linear" },
    y: { label: "tokens", scale: "linear" },
    series: [
      { label: "full history", points: points(curve.map(({ thread }) => thread)) },
      { label: "Palimpsest", points: points(curve.map(({ prompt }) => prompt)) },
      {
        label: "window",
        points: [
          { x: 1, y: window },
          { x: curve.length, y: window },
        ],
      },
    ],
    note: "Each fall is a compaction: rare, and in batches, so that the prefix of the prompt can stay in the provider's cache between them.",
  };
}

function points(values: readonly number[]): readonly { readonly x: number; readonly y: number }[] {
  return values.map((y, index) => ({ x: index + 1, y }));
}
