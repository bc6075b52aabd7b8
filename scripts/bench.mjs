// Runs a bench by name: `npm run bench -- steps`. What it measures goes into the report of the evals as well.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./run.mjs";

const [name = "", ...options] = process.argv.slice(2);
const folders = ["evals/bench", "packages/checkpoint/bench"];
const [bench] = /^[a-z-]+$/.test(name)
  ? folders.filter((folder) => existsSync(join(root, folder, `${name}.ts`)))
  : [];
if (bench === undefined)
  throw new Error(`There is no bench ${JSON.stringify(name)}: see evals/bench/benches.ts`);
run(process.execPath, [join(root, "scripts/setup.mjs")]);
const tsx = join(root, "node_modules/tsx/dist/cli.mjs");
const command = bench === "evals/bench" ? ["evals/bench/main.ts", name] : [`${bench}/${name}.ts`];
const { status } = spawnSync(process.execPath, [tsx, ...command, ...options], {
  cwd: root,
  stdio: "inherit",
});
process.exit(status ?? 1);
