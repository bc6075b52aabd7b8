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

it("exits with 1 where there is no database", async () => {
  const { code, err } = await run("health", newPath("none.db"));
  expect([code, err]).toEqual([1, expect.stringContaining("There is no database")]);
});
