import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newSchema, query } from "../testing/postgres-schema.js";
import { RepairStorage, repaired } from "../testing/repair-storage.js";
import { removePaths } from "../testing/written-storage.js";

afterAll(removePaths);

const records = "(SELECT id FROM palimpsest_files WHERE path LIKE '%.jsonl')";
const entries = "UPDATE palimpsest_entries SET data = data || '\\x00' WHERE";

describe.runIf(process.env["PALIMPSEST_POSTGRES_URL"] !== undefined)("verify --repair of Postgres", () => {
  let storage: RepairStorage;
  beforeAll(async () => {
    storage = await RepairStorage.write({ turns: 10, steps: 4 }, await newSchema());
  });

  it("has archive records restored on the copy from the messages of older checkpoints", async () => {
    const database = await storage.damagedDatabase(`DELETE FROM palimpsest_chunks WHERE file IN ${records}`);
    const { restored, lost, damage, copy, code } = await repaired(database);
    expect(damage.length).toBeGreaterThan(0);
    expect({ lost, code }).toEqual({ lost: [], code: 0 });
    expect(new Set(restored.map(({ from }) => from))).toEqual(new Set(['messages of the thread "one"']));
    expect(await storage.objectsIn(copy)).toEqual(storage.intact);
  });

  it("keeps what nothing else holds as it is on the copy, and names it", async () => {
    const database = await storage.damagedDatabase(`${entries} kind = 'c'`);
    const { restored, lost, damage, code } = await repaired(database);
    expect({ restored, code }).toEqual({ restored: [], code: 1 });
    expect(lost).toEqual(damage);
    expect(lost.length).toBeGreaterThan(30);
  });

  it.each([
    ["rows of checkpoints", [`${entries} kind = 'c'`], /^checkpoint /u],
    ["rows of writes", [`${entries} kind = 'w'`], /^writes at checkpoint /u],
    ["values", [`DELETE FROM palimpsest_entries WHERE kind = 'b'`], /^value /u],
    [
      "files of the archive without a digest in their name",
      ["DELETE FROM palimpsest_files WHERE path LIKE '%.md'"],
      /^archive file .*\.md$/u,
    ],
    [
      "all of it together",
      [`${entries} true`, "DELETE FROM palimpsest_chunks"],
      /^(?:key$|(?:checkpoint|writes|value|archive file|workspace content) )/u,
    ],
  ])("has %s restored from a backup", async (_, statements, what) => {
    const { restored, lost, copy, code } = await repaired(
      await storage.damagedDatabase(...statements),
      storage.path,
    );
    expect({ lost, code }).toEqual({ lost: [], code: 0 });
    expect(new Set(restored.map(({ from }) => from))).toEqual(new Set(["the backup"]));
    for (const part of restored) expect(part.what).toMatch(what);
    expect(restored.length).toBeGreaterThan(0);
    expect(await storage.objectsIn(copy)).toEqual(storage.intact);
  });

  it("restores what it can of random damage: every object is equal to the original, or named as lost", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(flip, { minLength: 1, maxLength: 4 }), async (flips) => {
        const result = await repaired(await damagedBy(storage, flips));
        expect(await storage.unnamedLosses(result)).toEqual([]);
        expect(result.code).toBe(result.lost.length > 0 ? 1 : 0);
      }),
      { numRuns: 5 },
    );
  }, 300_000);

  it("restores everything from a backup, whatever is damaged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(flip, { minLength: 1, maxLength: 8 }), async (flips) => {
        const result = await repaired(await damagedBy(storage, flips), storage.path);
        expect(result.lost).toEqual([]);
        expect(await storage.objectsIn(result.copy)).toEqual(storage.intact);
      }),
      { numRuns: 5 },
    );
  }, 300_000);
});

const flip = fc.record({
  table: fc.constantFrom("palimpsest_entries", "palimpsest_chunks"),
  row: fc.nat(),
  byte: fc.nat(),
});

async function damagedBy(storage: RepairStorage, flips: readonly Flip[]): Promise<string> {
  const url = await storage.damagedDatabase();
  for (const { table, row, byte } of flips) {
    const [found] = await query(url, `SELECT count(*)::int AS rows FROM ${table}`);
    const place = `SELECT ctid FROM ${table} ORDER BY ctid LIMIT 1 OFFSET ${row % Number(found?.["rows"])}`;
    const at = `${byte} % length(data)`;
    const flipped = `set_byte(data, ${at}, get_byte(data, ${at}) # 85)`;
    await query(url, `UPDATE ${table} SET data = ${flipped} WHERE ctid = (${place})`);
  }
  return url;
}

interface Flip {
  readonly table: string;
  readonly row: number;
  readonly byte: number;
}
