// Runs a bench by name: `npm run bench -- storage --json`. What it prints is the bench's own.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./run.mjs";

const [name = "", ...options] = process.argv.slice(2);
const folder = join(root, "packages/checkpoint/bench");
const bench = join(folder, `${name}.ts`);
if (!/^[a-z-]+$/.test(name) || !existsSync(bench)) {
  const names = readdirSync(folder).map((file) => file.replace(/\.ts$/, ""));
  throw new Error(`There is no bench ${JSON.stringify(name)}. Files in ${folder}: ${names.join(", ")}`);
}
run(process.execPath, [join(root, "scripts/setup.mjs")]);
const tsx = join(root, "node_modules/tsx/dist/cli.mjs");
const { status } = spawnSync(process.execPath, [tsx, bench, ...options], { cwd: root, stdio: "inherit" });
process.exit(status ?? 1);
