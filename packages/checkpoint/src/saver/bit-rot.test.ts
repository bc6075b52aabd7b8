import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { blobColumn, idOf, keyColumn, textOf, toKey } from "../engines/libsql/columns.js";
import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { packTask } from "../engines/packed-rows.js";
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

  it("as when the key of a checkpoint changes, in its row or in an index", async () => {
    const path = await writtenFile();
    const saver = VfsSaver.fromPath(path);
    const tuples: CheckpointTuple[] = [];
    for await (const tuple of saver.list({ configurable: { thread_id: "two" } })) tuples.push(tuple);
    await saver.close();
    const { config } = tuples.find(({ metadata }) => metadata?.step === 22) as CheckpointTuple;
    const bytes = readFileSync(path);
    const key = toKey(config.configurable?.["checkpoint_id"] as string) as Uint8Array;
    const read: (string | Error)[] = [];
    for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + 1)) {
      for (const bit of [0, 37, 64, 126]) {
        const copy = temporaryPath("copy.db");
        const flipped = Uint8Array.from(bytes);
        flipped[at + (bit >> 3)] = (flipped[at + (bit >> 3)] ?? 0) ^ (1 << (bit & 7));
        writeFileSync(copy, flipped);
        const damaged = VfsSaver.fromPath(copy);
        read.push(
          await damaged.getTuple(config).then(
            (tuple) => JSON.stringify(tuple?.config) ?? "nothing",
            (error: Error) => error,
          ),
        );
        await damaged.close();
      }
    }
    const readable = read.filter((one) => !(one instanceof Error));
    expect(new Set(readable)).toEqual(new Set(readable.length === 0 ? [] : [JSON.stringify(config)]));
    expect(read.length - readable.length).toBeGreaterThan(5);
  });

  it("and the comparison would find a change in a row whose checksum fits it", async () => {
    const path = await writtenFile();
    const intact = await partsOf(path);
    const database = new LibsqlDatabase(path);
    const rows = `SELECT space, ${keyColumn("id")}, ${blobColumn("thread")}, ${blobColumn("name")} FROM writes
      JOIN (SELECT id AS space, thread, name FROM spaces) USING (space) WHERE task = 'a-1'`;
    for (const { space, id, thread, name } of database.all(rows)) {
      const key = { threadId: textOf(thread), namespace: textOf(name), id: idOf(id), taskId: "a-1" };
      const other = packTask({ path: "path-a", writes: [[0, "step", -1]] }, key);
      database.run(
        "UPDATE writes SET data = ? WHERE task = 'a-1' AND space = ? AND id = ?",
        other,
        Number(space),
        toKey(key.id),
      );
    }
    database.close();
    expect(compareParts(intact, await partsOf(path)).silent).toContain("one list");
  });

  it("and what has lost its checksum is refused", async () => {
    const path = await writtenFile();
    const intact = await partsOf(path);
    const without = ["checkpoints", "writes", "chunks"].map(
      (table) => `UPDATE ${table} SET data = substr(data, 6)`,
    );
    change(path, ...without);
    const damaged = compareParts(intact, await partsOf(path));
    expect(damaged.silent).toEqual([]);
    expect(damaged.reported).toContain("one list");
  });
});
