// Runs an eval suite: npm run eval -- replay [--data DIR] [--window N] [--limit N] [--json]
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { generateTrajectory } from "./data/generate-trajectory.js";
import { readTrajectories } from "./data/read-trajectories.js";
import type { Trajectory } from "./data/trajectory.js";
import { replay, type ReplayResult } from "./replay/replay.js";
import { summarizeReplays } from "./replay/summarize-replays.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: "string" },
    window: { type: "string", default: "32000" },
    limit: { type: "string", default: "20" },
    json: { type: "boolean", default: false },
  },
});

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

const suite = positionals[0] ?? "replay";
if (suite !== "replay") fail(`No suite is called ${suite}; there is: replay`);
const window = Number(values.window);
if (!(window >= 1_000)) fail(`--window is ${values.window}: use a number of tokens, 1000 or more`);
const limit = Number(values.limit);
if (!(limit >= 1)) fail(`--limit is ${values.limit}: use a number of trajectories of each set, 1 or more`);

function trajectories(): readonly Trajectory[] {
  const generated = [1, 2, 3].map((seed) => generateTrajectory({ seed }));
  if (values.data === undefined) {
    console.error("No --data: only generated trajectories. See evals/README.md for recorded ones.");
    return generated;
  }
  if (!existsSync(values.data)) fail(`--data is ${values.data}: no such folder (see evals/README.md)`);
  return [...generated, ...readTrajectories(values.data, limit)];
}

const results: ReplayResult[] = [];
for (const trajectory of trajectories()) results.push(await replay(trajectory, window));
const rows = summarizeReplays(results);
const print = values.json ? console.error : console.log;
print(
  `The ladder at a window of ${window.toLocaleString("en")} tokens, on runs of agents that saw everything:\n`,
);
for (const row of rows) {
  const folds = Object.entries(row.folds).map(([kind, count]) => `${count} ${kind}`);
  print(
    `${row.set}: ${row.runs} runs, ${row.prompts} prompts, ${row.threadTokens.toLocaleString("en")} tokens`,
  );
  print(`  largest prompt     ${row.peakPromptTokens.toLocaleString("en")} tokens`);
  print(`  folds              ${folds.join(", ") || "none needed"}`);
  print(`  intact             ${row.intact} of ${row.runs} runs unfold byte for byte`);
  print(`  broken rules       ${row.illegal}, broken pointers ${row.brokenPointers}`);
  print(`  without the goal   ${row.promptsWithoutGoal} prompts\n`);
}
if (values.json) console.log(JSON.stringify({ suite, window, rows }));
const sound = rows.every((row) => row.intact === row.runs && row.illegal === 0 && row.brokenPointers === 0);
process.exit(sound ? 0 : 1);
