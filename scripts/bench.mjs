// Runs a bench by name, such as `npm run bench -- steps`, and adds its results to the report of the evals.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root, run } from "./run.mjs";

run(process.execPath, [join(root, "scripts/setup.mjs")]);
const tsx = join(root, "node_modules/tsx/dist/cli.mjs");
const { status } = spawnSync(
  process.execPath,
  [tsx, join(root, "evals/bench/main.ts"), ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit" },
);
process.exit(status ?? 1);
