// Runs the showcase: `npm run demo -- --json` and every other option go to it.
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
