import { afterAll, expect, it } from "vitest";
import { json, run } from "../testing/run.js";
import { newPath, removePaths, writeThreads } from "../testing/written-storage.js";

afterAll(removePaths);

interface Consolidated {
  readonly threads: number;
  readonly recorded: number;
  readonly turns: number;
  readonly chosen: readonly { readonly threadId: string; readonly text: string; readonly path: string }[];
}

it("makes notes of the threads that are named, and of those that the scope has", async () => {
  const path = newPath();
  await writeThreads(path);
  const first = await json<Consolidated>("consolidate", path, "ada", "one", "two");
  expect(first).toMatchObject({ threads: 2 });
  expect(first.recorded).toBeGreaterThan(2);
  expect(first.turns).toBe(first.recorded);
  expect(first.chosen.length).toBeGreaterThan(0);
  for (const note of first.chosen) expect(note.path).toMatch(`/threads/${note.threadId}/turns/`);
  expect(await json<Consolidated>("consolidate", path, "ada")).toMatchObject({
    threads: 2,
    recorded: 0,
    turns: 0,
  });
  const { out } = await run("consolidate", path, "ada");
  expect(out).toContain("ada: 2 threads, 0 turns recorded, 0 turns read");
  expect(out).not.toContain("\u001b[2J");
});

it("refuses a thread of another scope, and one that does not exist", async () => {
  const path = newPath();
  await writeThreads(path);
  await run("consolidate", path, "ada", "one");
  const other = await run("consolidate", path, "bob", "one");
  expect([other.code, other.err]).toEqual([
    1,
    expect.stringContaining('belongs to another scope than "bob"'),
  ]);
  const none = await run("consolidate", path, "bob", "three");
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('There is no thread "three"')]);
});
