import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { Postgres } from "@palimpsest/sql";
import { threadDirectory } from "@palimpsest/vfs/internal";
import { Client } from "pg";
import { afterEach, describe, expect, it, vi } from "vitest";
import { VfsSaver } from "../saver/vfs-saver.js";
import { newDatabase } from "../testing/empty-postgres.js";
import { contentsAt, notebook } from "../testing/notebook.js";

const given = process.env["PALIMPSEST_POSTGRES_URL"];
const config = (threadId: string) => ({ configurable: { thread_id: threadId, checkpoint_ns: "" } });

async function put(saver: VfsSaver, threadId: string, step = 1): Promise<void> {
  const checkpoint = {
    ...emptyCheckpoint(),
    id: uuid6(step),
    channel_values: { note: `${threadId} ${step} `.repeat(200) },
    channel_versions: { note: step },
  };
  await saver.put(config(threadId), checkpoint, { source: "loop", step, parents: {} }, { note: step });
}

/** Entries whose thread is gone: nothing reads them, and nothing deletes them. */
const orphans = `SELECT count(*)::int AS count FROM palimpsest_entries
  WHERE NOT EXISTS (SELECT FROM palimpsest_threads WHERE id = thread)`;

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(given ? [given] : [])("a deletion on Postgres", (server) => {
  const open = async (name: string) => {
    const url = await newDatabase(server, `palimpsest_deletion_${name}_${process.pid}`);
    return { url, saver: await VfsSaver.fromPostgres(url, { connections: 6 }) };
  };

  it("takes one round trip for a thread with an archive, and one for many threads", async () => {
    const { url, saver } = await open("trips");
    const names = Array.from({ length: 9 }, (_, index) => `thread ${index}`);
    for (const name of names) {
      await put(saver, name);
      await saver.files.archive(name).append("/context/history/1.jsonl", name);
    }
    const trips = [
      vi.spyOn(Postgres.prototype, "batch"),
      vi.spyOn(Postgres.prototype, "query"),
      vi.spyOn(Postgres.prototype, "transaction"),
    ];
    await saver.deleteThread("thread 0");
    expect(trips.map(({ mock }) => mock.calls.length)).toEqual([1, 0, 0]);
    await saver.deleteThreads(names.slice(1, 8));
    expect(trips.map(({ mock }) => mock.calls.length)).toEqual([2, 0, 0]);
    expect(await saver.threads()).toEqual(["thread 8"]);
    const files = await query(url, "SELECT path FROM palimpsest_files ORDER BY path");
    const kept = threadDirectory("thread 8");
    expect(files.map(({ path }) => String(path).slice(0, kept.length))).toEqual(files.map(() => kept));
    expect(files.length).toBeGreaterThan(0);
    await saver.close();
  });

  it("takes one round trip where there are no files, and finds those that another process has written first", async () => {
    const { url, saver } = await open("first");
    for (const name of ["a", "b"]) await put(saver, name);
    const batches = vi.spyOn(Postgres.prototype, "batch");
    const queries = vi.spyOn(Postgres.prototype, "query");
    await saver.deleteThread("a");
    expect([batches.mock.calls.length, queries.mock.calls.length]).toEqual([1, 0]);
    const other = await VfsSaver.fromPostgres(url);
    await other.files.archive("b").append("/context/history/1.jsonl", "original");
    await saver.deleteThread("b");
    expect(await other.files.archive("b").has("/context/history/1.jsonl")).toBe(false);
    expect(await other.threads()).toEqual([]);
    await Promise.all([saver.close(), other.close()]);
  });

  it("takes threads one by one after a transaction that took long", async () => {
    const { saver } = await open("long");
    const names = Array.from({ length: 12 }, (_, index) => `t${index}`);
    for (const name of names) await put(saver, name);
    const original = Object.getOwnPropertyDescriptor(Postgres.prototype, "batch")?.value as Postgres["batch"];
    const batches = vi.spyOn(Postgres.prototype, "batch").mockImplementation(async function slow(
      this: Postgres,
      statements,
    ) {
      const results = await original.call(this, statements);
      return [...results.slice(0, -1), { rows: [{ time: 1_000 }], rowCount: 1 }];
    });
    await saver.deleteThreads(names);
    expect(await saver.threads()).toEqual([]);
    // Eight at first, and then four times one.
    expect(batches.mock.calls).toHaveLength(5);
    batches.mockRestore();
    await saver.close();
  });

  it("leaves no row beside writers of the same threads, and what is written after it stays", async () => {
    const { url, saver } = await open("writers");
    const names = ["a", "b", "c"];
    const end = new AbortController();
    const writers = [0, 1, 2, 3].map(async (writer) => {
      for (let step = writer * 100_000; !end.signal.aborted; step++)
        await put(saver, names[step % 3] ?? "a", step);
    });
    for (let deletion = 0; deletion < 60; deletion++) {
      if (deletion % 2 === 0) await saver.deleteThreads(names.toReversed());
      else await saver.deleteThread("a");
    }
    end.abort();
    await Promise.all(writers);
    expect(await query(url, orphans)).toEqual([{ count: 0 }]);
    await put(saver, "a", 999_999);
    expect((await saver.getTuple(config("a")))?.checkpoint.channel_values["note"]).toContain("a 999999");
    await saver.close();
  });

  it("of which a statement fails leaves the thread whole, and the next one deletes it", async () => {
    const { url, saver } = await open("fails");
    await notebook(saver).invoke({ todo: { "/f": "content" } }, config("a"));
    await saver.files.archive("a").append("/context/history/1.jsonl", "original");
    await query(
      url,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END';
       CREATE TRIGGER refused BEFORE DELETE ON palimpsest_files FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    await expect(saver.deleteThread("a")).rejects.toThrow("no");
    expect(await contentsAt(saver, config("a"))).toEqual({ "/f": "content" });
    expect(await saver.files.archive("a").readText("/context/history/1.jsonl")).toBe("original");
    await query(url, "DROP TRIGGER refused ON palimpsest_files");
    await saver.deleteThread("a");
    expect(await saver.threads()).toEqual([]);
    expect(await query(url, "SELECT count(*)::int AS count FROM palimpsest_entries")).toEqual([{ count: 0 }]);
    await saver.close();
  });
});
