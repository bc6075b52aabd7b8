// Installs missing dependencies and builds what has changed. A second run takes about a second.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./run.mjs";

const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const lockfile = join(root, "pnpm-lock.yaml");
const installed = join(root, "node_modules/.modules.yaml");

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lockfile).mtimeMs) {
  process.stderr.write(`Installing with ${packageManager} …\n`);
  run("npx", [
    "--yes",
    packageManager,
    "install",
    "--frozen-lockfile",
    "--prefer-offline",
    "--reporter=append-only",
  ]);
}
run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-b"]);
run(process.execPath, [join(root, "scripts/pack/bundle-page.mjs")]);
