import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newSchema, query } from "../testing/postgres-schema.js";
import { startStrictPooler, type StrictPooler } from "../testing/strict-pooler.js";
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

  describe("behind a pooler that refuses the options of a session", () => {
    let pooler: StrictPooler;
    beforeAll(async () => {
      pooler = await startStrictPooler(storage.path);
    });
    afterAll(() => pooler.stop());

    /** Returns the url of the schema of a database, through the pooler. */
    function pooled(url: string): string {
      const place = new URL(pooler.through(url));
      const schema = place.searchParams.get("options")?.replace("-c search_path=", "") ?? "";
      place.searchParams.delete("options");
      place.searchParams.set("schema", schema);
      return place.href;
    }

    it("is read by every verb in the schema that its url names", async () => {
      const threads = await json<readonly { thread: string }[]>("threads", pooled(storage.path));
      expect(threads.map(({ thread }) => thread).toSorted()).toEqual(["notes", "one"]);
      const elsewhere = new URL(pooled(storage.path));
      elsewhere.searchParams.set("schema", "nobody_wrote_here");
      expect((await run("threads", elsewhere.href)).err).toContain("holds no threads");
      elsewhere.searchParams.set("schema", 'a"b');
      expect((await run("threads", elsewhere.href)).err).toContain("give a name of up to 63 letters");
    });

    it("is backed up with its files into a new schema", async () => {
      const copy = new URL(pooled(storage.path));
      copy.searchParams.set("schema", `cli_copied_${process.pid}`);
      await json("backup", pooled(storage.path), copy.href);
      expect(await storage.objectsIn(copy.href)).toEqual(storage.intact);
    });

    it("has everything restored from a backup in such a place, into a new schema of it", async () => {
      const damaged = await storage.damagedDatabase(
        "UPDATE palimpsest_entries SET data = data || '\\x00'",
        "DELETE FROM palimpsest_chunks",
      );
      const copy = new URL(pooled(storage.path));
      copy.searchParams.set("schema", `cli_repaired_${process.pid}`);
      const args = ["--repair", copy.href, "--from", pooled(storage.path)];
      const { code, out, err } = await run("verify", pooled(damaged), ...args, "--json");
      expect(err).not.toContain("palimpsest:");
      expect(JSON.parse(out)).toMatchObject({ lost: [] });
      expect(code).toBe(0);
      expect(await storage.objectsIn(copy.href)).toEqual(storage.intact);
    });
  });
});
