import { VirtualFilesystem } from "@palimpsest/vfs";
import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { newDatabase } from "../testing/empty-postgres.js";
import { withDriver, type KeyStorage } from "../testing/key-writer.js";
import { temporaryPath } from "../testing/savers.js";

const postgresUrl = process.env["PALIMPSEST_POSTGRES_URL"];
const script = fileURLToPath(new URL("../../dist/testing/key-writer.js", import.meta.url));

const storages: [string, () => Promise<KeyStorage>][] = [
  ["a directory", async () => ({ directory: dirname(temporaryPath()) })],
  ["a SQLite file", async () => ({ sqlite: temporaryPath() })],
  ...(postgresUrl === undefined
    ? []
    : ([
        ["Postgres", async () => ({ postgres: await newDatabase(postgresUrl, "palimpsest_keys") })],
        ["a PostgresStore", async () => ({ store: await newDatabase(postgresUrl, "palimpsest_key_store") })],
      ] as [string, () => Promise<KeyStorage>][])),
];

describe.each(storages)("two processes on %s", (_, create) => {
  it(
    "that start 200 threads at the same moment accept each other's seals",
    { timeout: 120_000 },
    async () => {
      const storage = await create();
      const threads = Array.from({ length: 200 }, (__, index) => `thread-${index}`);
      await withDriver(storage, async (driver) => driver.stat("/threads/none"));
      const options = JSON.stringify({ storage, threads, startAt: Date.now() + 6_000 });
      const ran = await Promise.all(
        [1, 2].map(async () => promisify(execFile)(process.execPath, [script, options])),
      );
      const made = ran.map(({ stdout }) => JSON.parse(stdout) as string[]);
      await withDriver(storage, async (driver) => {
        const files = new VirtualFilesystem({ driver });
        for (const [index, thread] of threads.entries())
          for (const seals of made)
            expect(await files.seal(thread).verify("fold", thread, seals[index])).toBe(true);
      });
    },
  );
});
