import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { dialogueSets } from "../data/read-trajectories.js";

/** Folders that suites read besides those whose name ends in "-sessions" or "-raw". */
const folders = [
  ...dialogueSets,
  "locomo",
  "beam",
  "summarization-fixtures",
  "lost-in-compaction",
  "contextbench",
];

/**
 * Refuses a data folder that no suite reads, before the first one starts.
 *
 * @throws Error that names the folder to pass.
 */
export function checkData(data: string): void {
  if (!existsSync(data)) throw new Error(`--data is ${data}: there is no such folder`);
  if (readdirSync(data).some(isRead)) return;
  const path = resolve(data);
  throw new Error(
    isRead(basename(path))
      ? `--data is ${data}, one folder of recorded runs: pass the folder that contains it, --data ${dirname(path)}`
      : `--data is ${data}, which holds no recorded runs: it needs a folder whose name ends in -sessions or -raw, or one of ` +
          `${folders.join(", ")} (see evals/README.md)`,
  );
}

function isRead(name: string): boolean {
  return /-(?:raw|sessions)$/.test(name) || folders.includes(name);
}
