import { startPostgres } from "./postgres-server.js";

/** Starts Postgres once for all test files, which find it at PALIMPSEST_POSTGRES_URL. */
export async function setup(): Promise<(() => void) | undefined> {
  const server = await startPostgres();
  if ("url" in server) {
    process.env["PALIMPSEST_POSTGRES_URL"] = server.url;
    return server.stop;
  }
  if (process.env["CI"]) throw new Error(`The tests on Postgres may not be skipped here: ${server.missing}`);
  process.stdout.write(`Tests on Postgres are skipped: ${server.missing}\n`);
  return undefined;
}
