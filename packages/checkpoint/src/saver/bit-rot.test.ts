import { describe, expect, it } from "vitest";
import { pack } from "../codec/packing/pack.js";
import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { compareParts, flippedReads, readThreads, writeThreads } from "../testing/bit-flips.js";
import { directoryTarget, fileTarget } from "../testing/flip-targets.js";
import { temporaryPath } from "../testing/savers.js";
import { VfsSaver } from "./vfs-saver.js";

async function writtenFile(): Promise<string> {
  const path = temporaryPath();
  const saver = VfsSaver.fromPath(path);
  await writeThreads(saver);
  await saver.close();
  return path;
}

async function partsOf(path: string): ReturnType<typeof readThreads> {
  const saver = VfsSaver.fromPath(path);
  const parts = await readThreads(saver);
  await saver.close();
  return parts;
}

function change(path: string, ...statements: readonly string[]): void {
  const database = new LibsqlDatabase(path);
  for (const sql of statements) database.exec(sql);
  database.close();
}

describe("a flipped bit never silently changes what is read", () => {
  it.each([
    ["in a SQLite file", fileTarget],
    ["in a directory of blobs and archives", directoryTarget],
  ])("%s", async (_, target) => {
    const { silent, unclear, reported } = await flippedReads(await target(), { flips: 10, seed: 1 });
    expect({ silent, unclear }).toEqual({ silent: [], unclear: [] });
    expect(reported).toBeGreaterThan(2);
  });

  it.each([
    ["the key of a thread", "UPDATE spaces SET thread = 'ome' WHERE thread = 'one' AND name = ''"],
    ["the newest checkpoint", "DELETE FROM checkpoints WHERE id = (SELECT max(id) FROM checkpoints)"],
    ["the parent of a checkpoint", "UPDATE checkpoints SET parent = id"],
    ["the writes of a task", "DELETE FROM writes WHERE rowid_of = 1"],
    ["the namespace of writes", "UPDATE writes SET space = space + 1 WHERE task = 'a-1'"],
    ["the size of a file", "UPDATE files SET size = 0 WHERE path LIKE '%/history/1-%'"],
  ])("as when %s changes", async (_, sql) => {
    const path = await writtenFile();
    const intact = await partsOf(path);
    change(path, sql.replace("rowid_of = 1", "task = (SELECT task FROM writes LIMIT 1)"));
    const { silent, unclear, reported } = compareParts(intact, await partsOf(path));
    expect({ silent, unclear }).toEqual({ silent: [], unclear: [] });
    expect(reported.length).toBeGreaterThan(0);
  });

  it("and the comparison would find a change in a row without a checksum", async () => {
    const path = await writtenFile();
    const intact = await partsOf(path);
    const database = new LibsqlDatabase(path);
    const other = pack(Buffer.from(JSON.stringify(["path-a", [[0, "step", -1]]])));
    database.run("UPDATE writes SET data = ? WHERE task = 'a-1'", other);
    database.close();
    expect(compareParts(intact, await partsOf(path)).silent).toContain("one list");
  });

  it("and a file from before checksums is read as it was, and gets them as it grows", async () => {
    const path = await writtenFile();
    const intact = await partsOf(path);
    change(
      path,
      "UPDATE checkpoints SET data = substr(data, 6)",
      "UPDATE writes SET data = substr(data, 6)",
      "UPDATE chunks SET data = substr(data, 6)",
      ...["newest", "checkpoints", "sum"].map((column) => `ALTER TABLE spaces DROP COLUMN ${column}`),
      "ALTER TABLE checkpoints DROP COLUMN tasks",
      "ALTER TABLE files DROP COLUMN sum",
      "PRAGMA user_version = 2",
    );
    expect([...(await partsOf(path))]).toEqual([...intact]);
    const saver = VfsSaver.fromPath(path);
    const { config, checkpoint } = (await saver.getTuple({ configurable: { thread_id: "one" } })) ?? {};
    const next = { ...checkpoint, id: "1f0b0000-0000-6000-8000-000000000000" } as never;
    await saver.put(config ?? {}, next, { source: "loop", step: 99, parents: {} }, {});
    await saver.close();
    change(path, "DELETE FROM checkpoints WHERE id = (SELECT max(id) FROM checkpoints)");
    const damaged = compareParts(intact, await partsOf(path));
    expect(damaged.silent).toEqual([]);
    expect(damaged.reported).toContain("one list");
  });
});
