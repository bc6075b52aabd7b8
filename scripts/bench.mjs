// Runs a bench by name, such as `npm run bench -- steps`, and adds its results to the report of the evals.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root, run } from "./run.mjs";

run(process.execPath, [join(root, "scripts/setup.mjs")]);
const given = process.argv.slice(2);
// Without a name the evals would run every suite.
const args = given[0] === undefined || given[0].startsWith("-") ? ["--help"] : given;
const { status } = spawnSync(process.execPath, [join(root, "evals/dist/main.js"), ...args], {
  cwd: root,
  stdio: "inherit",
});
process.exit(status ?? 1);
