import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { generateTrajectory } from "./data/generate-trajectory.js";
import { readTrajectories } from "./data/read-trajectories.js";
import type { Trajectory } from "./data/trajectory.js";
import { replayTrajectory, type ReplayResult } from "./replay-trajectory.js";
import { summarizeReplays, type ReplayRow } from "./summarize-replays.js";

/** Replays runs of agents and returns whether each came back whole: `[--data DIR] [--window N] [--limit N] [--json]`. */
export async function replay(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      window: { type: "string", default: "32000" },
      limit: { type: "string", default: "20" },
      json: { type: "boolean", default: false },
    },
  });
  const window = atLeast("--window", values.window, 1_000);
  const limit = atLeast("--limit", values.limit, 1);
  const results: ReplayResult[] = [];
  for (const trajectory of trajectories(values.data, limit)) {
    results.push(await replayTrajectory(trajectory, window));
  }
  const rows = summarizeReplays(results);
  printRows(rows, window, values.json ? console.error : console.log);
  if (values.json) console.log(JSON.stringify({ suite: "replay", window, rows }));
  return rows.every((row) => row.intact === row.runs && row.illegal === 0 && row.brokenPointers === 0);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function atLeast(name: string, value: string, least: number): number {
  if (Number(value) >= least) return Number(value);
  return fail(`${name} is ${value}: use a number, ${least} or more`);
}

function trajectories(data: string | undefined, limit: number): readonly Trajectory[] {
  const generated = [1, 2, 3].map((seed) => generateTrajectory({ seed }));
  if (data === undefined) {
    console.error("No --data: only generated trajectories. See evals/README.md for recorded ones.");
    return generated;
  }
  if (!existsSync(data)) return fail(`--data is ${data}: no such folder (see evals/README.md)`);
  return [...generated, ...readTrajectories(data, limit)];
}

function count(tokens: number): string {
  return tokens.toLocaleString("en");
}

function printRows(rows: readonly ReplayRow[], window: number, print: (line: string) => void): void {
  print(`The ladder at a window of ${count(window)} tokens, on runs of agents that saw everything:\n`);
  for (const row of rows) {
    const folds = Object.entries(row.folds).map(([kind, number]) => `${number} ${kind}`);
    print(`${row.set}: ${row.runs} runs, ${row.prompts} prompts, ${count(row.threadTokens)} tokens`);
    print(`  largest prompt     ${count(row.peakPromptTokens)} tokens`);
    print(`  folds              ${folds.join(", ") || "none needed"}`);
    print(`  intact             ${row.intact} of ${row.runs} runs unfold byte for byte`);
    print(`  broken rules       ${row.illegal}, broken pointers ${row.brokenPointers}`);
    print(`  without the goal   ${row.promptsWithoutGoal} prompts\n`);
  }
}
