import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command in the root folder with its output on stderr, so that stdout stays the caller's. Exits on failure. */
export function run(command, args, { stdout = 2 } = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", stdout, 2] });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs a script. Its own errors, and those about its options, say what to do: they are lines without a stack. */
export function runMain(main) {
  try {
    main();
  } catch (error) {
    const isOurs = error.constructor === Error || error.code?.startsWith("ERR_PARSE_ARGS");
    process.stderr.write(`${isOurs ? error.message : error.stack}\n`);
    process.exitCode = 1;
  }
}
