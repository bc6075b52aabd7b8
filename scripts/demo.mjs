// Runs the showcase, with all options passed on: `npm run demo -- --json`.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./run.mjs";

const tsx = join(root, "node_modules/tsx/dist/cli.mjs");
const main = join(root, "examples/deep-agent/main.ts");
const { status } = spawnSync(process.execPath, [tsx, main, ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
process.exit(status ?? 1);
