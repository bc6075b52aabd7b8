import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startPostgres } from "./postgres-server.js";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** Compiles the process that the durability tests start, and starts one Postgres server, at PALIMPSEST_POSTGRES_URL, for all test files. */
export async function setup(): Promise<(() => void) | undefined> {
  const options = { cwd: root, encoding: "utf8" } as const;
  const { status, stdout } = spawnSync("node_modules/.bin/tsc", ["-b", "packages/checkpoint"], options);
  if (status !== 0) process.stdout.write(`packages/checkpoint does not compile:\n${stdout}\n`);
  const server = await startPostgres();
  if ("url" in server) {
    process.env["PALIMPSEST_POSTGRES_URL"] = server.url;
    return server.stop;
  }
  if (process.env["CI"]) throw new Error(`The tests on Postgres may not be skipped here: ${server.missing}`);
  process.stdout.write(`Tests on Postgres are skipped: ${server.missing}\n`);
  return undefined;
}
