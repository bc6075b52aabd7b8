import * as fc from "fast-check";
import Database from "libsql";
import { afterAll, expect, it } from "vitest";
import { RepairStorage, repaired } from "../testing/repair-storage.js";
import { removePaths } from "../testing/written-storage.js";

afterAll(removePaths);

const tables = ["blobs", "bundles", "chunks", "checkpoints", "writes"];
const flip = fc.record({ table: fc.constantFrom(...tables), row: fc.nat(), byte: fc.nat() });

it("verify --repair restores what it can of random damage: every object is equal to the original, or named as lost", async () => {
  const storage = await RepairStorage.write({ turns: 12, steps: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(flip, { minLength: 1, maxLength: 4 }), async (flips) => {
      const copy = storage.damaged();
      const database = new Database(copy);
      for (const { table, row, byte } of flips) flipByte(database, { table, row, byte });
      database.close();
      const result = await repaired(copy);
      expect(await storage.unnamedLosses(result)).toEqual([]);
      expect(result.code).toBe(result.lost.length > 0 ? 1 : 0);
    }),
    { numRuns: 20 },
  );
}, 300_000);

it("verify --repair restores everything from a backup, whatever is damaged", async () => {
  const storage = await RepairStorage.write({ turns: 12, steps: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(flip, { minLength: 1, maxLength: 8 }), async (flips) => {
      const copy = storage.damaged();
      const database = new Database(copy);
      for (const { table, row, byte } of flips) flipByte(database, { table, row, byte });
      database.close();
      const result = await repaired(copy, storage.path);
      expect(result.lost).toEqual([]);
      expect(await storage.objectsIn(result.copy)).toEqual(storage.intact);
    }),
    { numRuns: 15 },
  );
}, 300_000);

interface Flip {
  readonly table: string;
  readonly row: number;
  readonly byte: number;
}

function flipByte(database: Database.Database, { table, row, byte }: Flip): void {
  const { rows } = database.prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number };
  if (rows === 0) return;
  const key = table === "writes" ? "space, id, task" : "rowid";
  const picked = `(${key}) = (SELECT ${key} FROM ${table} LIMIT 1 OFFSET ${row % rows})`;
  const { data } = database.prepare(`SELECT data FROM ${table} WHERE ${picked}`).get() as { data: Buffer };
  const bytes = Buffer.from(data);
  bytes[byte % bytes.length] = (bytes[byte % bytes.length] ?? 0) ^ 0x55;
  database.prepare(`UPDATE ${table} SET data = ? WHERE ${picked}`).run([bytes]);
}
