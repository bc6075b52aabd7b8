import Database from "libsql";
import { chmodSync, readFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { json, run } from "../testing/run.js";
import { newPath, removePaths, writeThreads } from "../testing/written-storage.js";

afterAll(removePaths);

it("says that a storage reads and writes, and how long it takes", async () => {
  const path = newPath();
  await writeThreads(path);
  const health = await json<{ isHealthy: boolean; checks: readonly { name: string; error: null }[] }>(
    "health",
    path,
  );
  expect(health.isHealthy).toBe(true);
  expect(health.checks.map(({ name, error }) => [name, error])).toEqual([
    ["read", null],
    ["write", null],
    ["delete", null],
  ]);
  const { code, out } = await run("health", path);
  expect([code, out]).toEqual([0, expect.stringMatching(/^check\s+ms\s+result/u)]);
});

it("changes nothing with --read-only, and says what fails without it", async () => {
  const path = newPath();
  await writeThreads(path);
  const bytes = readFileSync(path);
  chmodSync(path, 0o444);
  const { code, out } = await run("health", path, "--read-only", "--json");
  expect([code, JSON.parse(out)]).toEqual([
    0,
    { isHealthy: true, checks: [{ name: "read", ms: expect.any(Number), error: null }] },
  ]);
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

it("exits with 1 and names the check that fails", async () => {
  const path = newPath();
  await writeThreads(path);
  const database = new Database(path);
  database.exec("CREATE TRIGGER refuse BEFORE INSERT ON files BEGIN SELECT RAISE(ABORT, 'refused'); END");
  database.close();
  const { code, out } = await run("health", path, "--json");
  const { isHealthy, checks } = JSON.parse(out) as { isHealthy: boolean; checks: { error: string | null }[] };
  expect([code, isHealthy, checks.map(({ error }) => error)]).toEqual([
    1,
    false,
    [null, expect.stringContaining("refused")],
  ]);
});

it("exits with 1 where there is no database", async () => {
  const { code, err } = await run("health", newPath("none.db"));
  expect([code, err]).toEqual([1, expect.stringContaining("There is no database")]);
});
