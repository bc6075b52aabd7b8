import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RepairStorage, repaired } from "../testing/repair-storage.js";
import { newPath, removePaths } from "../testing/written-storage.js";

afterAll(removePaths);
let storage: RepairStorage;
beforeAll(async () => {
  storage = await RepairStorage.write({ turns: 10, steps: 4 });
});

const pageSize = 4096;
/** The header of the file, SQLite's map of pages, and the list of threads, without which nothing can be named. */
const needed = 3;

const threadOf = (name: string): string => name.split(" ")[0] ?? "";

/** Changes the bytes of a file at a page, or returns what is left of them. */
type Harm = (bytes: Buffer, page: number) => Buffer | void;

function copyPage(bytes: Buffer, from: number, to: number): void {
  bytes.copy(bytes, to * pageSize, from * pageSize, (from + 1) * pageSize);
}

interface Case {
  readonly harm: Harm;
  /** Every which page is harmed, each in a file of its own. */
  readonly every: number;
  /** Of the parts, how many are readable at least, on average over the pages. */
  readonly share: number;
}

const harms: readonly (readonly [name: string, given: Case])[] = [
  [
    "full of zeros",
    { every: 3, share: 0.5, harm: (bytes, page) => bytes.fill(0, page * pageSize, (page + 1) * pageSize) },
  ],
  [
    "whose second sector is full of zeros",
    {
      every: 5,
      share: 0.5,
      harm: (bytes, page) => bytes.fill(0, page * pageSize + 512, page * pageSize + 1024),
    },
  ],
  [
    "after which the file was cut",
    { every: 5, share: 0.15, harm: (bytes, page) => bytes.subarray(0, page * pageSize) },
  ],
  [
    "in which the file was cut",
    { every: 5, share: 0.15, harm: (bytes, page) => bytes.subarray(0, page * pageSize + 700) },
  ],
  [
    "that stands in another place too",
    {
      every: 5,
      share: 0.5,
      harm: (bytes, page) =>
        copyPage(bytes, page, needed + ((page + 5) % (bytes.length / pageSize - needed))),
    },
  ],
];

it.each(harms)(
  "a repair keeps what can be read beside a page %s, and names what is lost",
  async (_, { every, share, harm }) => {
    const intact = readFileSync(storage.path);
    const seen = { parts: 0, readable: 0 };
    for (let page = needed; page < intact.length / pageSize; page += every) {
      const [bytes, path] = [Buffer.from(intact), newPath(`page-${page}.db`)];
      writeFileSync(path, harm(bytes, page) ?? bytes);
      const before = await storage.objectsIn(path);
      const result = await repaired(path);
      const after = await storage.objectsIn(result.copy);
      // A thread whose key is lost gets new seals.
      const sealed = new Set(
        result.restored.filter(({ what }) => what.includes("seals")).map(({ thread }) => thread),
      );
      const isIntact = ([name, value]: readonly [string, string | undefined]): boolean =>
        sealed.has(threadOf(name)) ? value !== undefined : value === storage.intact.get(name);
      const named = new Set(result.lost.map(({ thread }) => thread));
      const isNamed = ([name]: readonly [string, unknown]): boolean =>
        named.has("") || named.has(threadOf(name));
      const lost = [...after].filter((object) => !isIntact(object));
      const worse = lost.filter(
        ([name]) => before.get(name) !== undefined && isIntact([name, before.get(name)]),
      );
      expect({ page, worse, unnamed: lost.filter((object) => !isNamed(object)) }).toEqual({
        page,
        worse: [],
        unnamed: [],
      });
      seen.parts += 1;
      seen.readable += after.size - lost.length;
    }
    expect(seen.readable / seen.parts).toBeGreaterThan(storage.intact.size * share);
  },
  120_000,
);
