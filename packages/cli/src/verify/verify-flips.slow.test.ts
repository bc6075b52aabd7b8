import { VfsSaver } from "@palimpsest/checkpoint";
import { readState, unfoldState } from "@palimpsest/inspector";
import { closeSync, copyFileSync, openSync, readFileSync, writeSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { RepairStorage } from "../testing/repair-storage.js";
import { run } from "../testing/run.js";
import { newPath, removePaths } from "../testing/written-storage.js";

afterAll(removePaths);

/** How many bits to flip. 2,000 take half an hour. @default 60 */
const flips = Number(process.env["PALIMPSEST_FLIPS"] ?? 60);
/** Runs with other seeds flip other bits. @default 7 */
const seed = Number(process.env["PALIMPSEST_SEED"] ?? 7);
const pageSize = 4096;

/** Returns the pages of a SQLite file by the type in their first byte: nodes and leaves of tables and indexes, and the others. */
function pagesByType(path: string): readonly (readonly number[])[] {
  const bytes = readFileSync(path);
  const pages = new Map<number, number[]>();
  for (let page = 0; page * pageSize < bytes.length; page++) {
    const mark = bytes[page * pageSize + (page === 0 ? 100 : 0)] ?? 0;
    const type = [2, 5, 10, 13].includes(mark) ? mark : 0;
    pages.set(type, [...(pages.get(type) ?? []), page]);
  }
  return [...pages.values()];
}

function flip(path: string, bit: number): void {
  const byte = readFileSync(path)[bit >> 3] ?? 0;
  const file = openSync(path, "r+");
  writeSync(file, Buffer.of(byte ^ (1 << (bit & 7))), 0, 1, bit >> 3);
  closeSync(file);
}

const read = async (work: () => Promise<unknown>): Promise<unknown> => work().catch(() => "unreadable");

/** Everything that users read of the storage, or the error of what cannot be read. */
async function readAll(storage: RepairStorage, path: string): Promise<string> {
  const objects = [...(await storage.objectsIn(path))];
  const saver = VfsSaver.fromPath(path);
  const threads = await read(async () => (await saver.threads()).toSorted());
  const reads = ["one", "notes"].flatMap((thread) => [
    read(async () => all(saver.list({ configurable: { thread_id: thread } }))),
    read(async () => all(saver.history(thread))),
    read(async () => saver.getTuple({ configurable: { thread_id: thread } })),
    read(async () => unfoldState(saver, await readState(saver, thread))),
  ]);
  const values = await Promise.all(reads);
  await saver.close();
  return JSON.stringify([objects.map(([name, value]) => [name, value ?? null]), threads, values]);
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

it(
  "verify misses no flipped bit that a user would meet, and calls no copy good that is not",
  async () => {
    const storage = await RepairStorage.write({ turns: 9, steps: 5 });
    const intact = await readAll(storage, storage.path);
    expect((await run("verify", storage.path)).out).toMatch(/: 0 damaged$/mu);
    const types = pagesByType(storage.path);
    expect(types.length).toBeGreaterThanOrEqual(4);
    const found = { missed: [] as number[], badCopies: [] as number[], damaged: 0, restored: 0 };
    for (let number = 0, random = seed; number < flips; number++) {
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
      const pages = types[number % types.length] ?? [];
      const page = pages[Math.floor((random / 2 ** 32) * pages.length)] ?? 0;
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
      const bit = page * pageSize * 8 + Math.floor((random / 2 ** 32) * pageSize * 8);
      const file = newPath(`flip-${number}.db`);
      copyFileSync(storage.path, file);
      flip(file, bit);
      const verified = await run("verify", file);
      const seen = await readAll(storage, file).catch(() => "not opened");
      if (verified.code === 0) {
        if (seen !== intact) found.missed.push(bit);
        continue;
      }
      found.damaged += 1;
      const copy = newPath(`copy-${number}.db`);
      if ((await run("verify", file, "--repair", copy)).code !== 0) continue;
      found.restored += 1;
      if ((await readAll(storage, copy).catch(() => "not opened")) !== intact) found.badCopies.push(bit);
    }
    expect(found).toMatchObject({ missed: [], badCopies: [] });
    expect(found.damaged).toBeGreaterThan(flips / 10);
    expect(found.restored).toBeGreaterThan(0);
    // The figures of the run, for the report.
    console.info(JSON.stringify({ flips, seed, ...found }));
  },
  60_000 + flips * 20_000,
);
