// Runs a bench by name, such as `npm run bench -- steps`, and adds its results to the report of the evals.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root, run } from "./run.mjs";

run(process.execPath, [join(root, "scripts/setup.mjs")]);
const { status } = spawnSync(
  process.execPath,
  [join(root, "evals/dist/bench/main.js"), ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit" },
);
process.exit(status ?? 1);
