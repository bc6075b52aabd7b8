import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command in the root folder with its output on stderr, so that stdout stays the caller's. Exits on failure. */
export function run(command, args, { stdout = 2 } = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", stdout, 2] });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
