import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newSchema, query } from "../testing/postgres-schema.js";
import { RepairStorage, repaired } from "../testing/repair-storage.js";
import { json, run } from "../testing/run.js";
import { newPath, removePaths } from "../testing/written-storage.js";

const hasServer = process.env["PALIMPSEST_POSTGRES_URL"] !== undefined;

afterAll(removePaths);

describe.runIf(hasServer)("a Postgres database", () => {
  let storage: RepairStorage;
  beforeAll(async () => {
    storage = await RepairStorage.write({ turns: 4, steps: 2 }, await newSchema());
  });

  it("is backed up into an empty one, which goes on as the first did", async () => {
    const copy = await newSchema();
    await json("backup", storage.path, copy);
    expect(await storage.objectsIn(copy)).toEqual(storage.intact);
    const threads =
      "SELECT nextval(pg_get_serial_sequence('palimpsest_threads', 'id')) > max(id) AS fresh FROM palimpsest_threads";
    expect(await query(copy, threads)).toEqual([{ fresh: true }]);
    expect((await run("backup", storage.path, copy)).err).toContain("holds threads or files already");
    const nowhere = new URL(storage.path);
    nowhere.pathname = "/nowhere";
    nowhere.password = "secret";
    const { err } = await run("backup", storage.path, nowhere.href);
    expect(err).toMatch(
      /^palimpsest: The server has no database of this name\. Create it.*"nowhere" does not exist\)\n$/u,
    );
    expect((await run("verify", storage.path, "--repair", newPath())).err).toContain(
      "the url of an empty one",
    );
  });

  it("has everything restored from a backup", async () => {
    const damage = ["UPDATE palimpsest_entries SET data = data || '\\x00'", "DELETE FROM palimpsest_chunks"];
    const { restored, lost, copy, code } = await repaired(
      await storage.damagedDatabase(...damage),
      storage.path,
    );
    expect({ lost, code }).toEqual({ lost: [], code: 0 });
    expect(new Set(restored.map(({ from }) => from))).toEqual(new Set(["the backup"]));
    expect(await storage.objectsIn(copy)).toEqual(storage.intact);
  });
});
