import { Pool } from "pg";
import { describe, expect, it } from "vitest";
import type { RecallEvent } from "../../options.js";
import { RecallIndex } from "../../recall-index.js";
import { newDatabase, runSql, servers } from "../../testing/engines.js";
import { fill, texts } from "../../testing/fill.js";
import { SubjectEmbeddings } from "../../testing/subject-embeddings.js";
import { EmbeddingSearch } from "../../vectors/embedding-search.js";
import { PostgresStore } from "./postgres-store.js";
import { openPostgres } from "./tables.js";

describe.each(servers)("RecallIndex on Postgres", (server) => {
  async function start(url?: string) {
    const events: RecallEvent[] = [];
    const place = url ?? (await newDatabase(server));
    const onEvent = (event: RecallEvent): unknown => events.push(event);
    const index = await RecallIndex.fromPostgres(place, { onEvent, embeddings: new SubjectEmbeddings() });
    return { index, place, events };
  }

  it.each([
    "DROP TABLE palimpsest_recall_passages",
    "DROP TABLE palimpsest_recall_words, palimpsest_recall_threads, palimpsest_recall_birth",
    "ALTER TABLE palimpsest_recall_passages DROP COLUMN text",
  ])("rebuilds its tables, with an event, after %s", async (damage) => {
    const { index, place, events } = await start();
    await fill(index);
    await index.search("a wing", { thread: "t1" });
    await runSql(place, damage);
    expect((await index.search("sparrow", { thread: "t1" })).length).toBeLessThan(2);
    expect(await index.missing("t1", ["/context/results/0.txt"])).toHaveLength(1);
    expect(events.map(({ type }) => type)).toEqual(["index_rebuilt"]);
    const [hit] = await (await fill(index)).search("a wing", { thread: "t1" });
    expect(hit?.text).toBe(texts[0]);
    await index.close();
  });

  it("rebuilds lost tables once, in the first process that finds them lost", async () => {
    const { index, place, events } = await start();
    const other = await start(place);
    await fill(index);
    await other.index.search("wing", { thread: "t1" });
    await runSql(place, "DROP TABLE palimpsest_recall_words");
    await Promise.all([index, other.index].map(async (one) => one.search("wing", { thread: "t1" })));
    await fill(index);
    expect((await other.index.search("a wing", { thread: "t1", limit: 1 }))[0]?.text).toBe(texts[0]);
    const types = [...events, ...other.events].map(({ type }) => type);
    expect(types).toContain("index_rebuilt");
    expect(types.filter((type) => type !== "index_rebuilt")).toEqual([]);
    await index.close();
    await other.index.close();
  });

  it("continues when its connections are cut, idle or in a transaction", async () => {
    const { index, place } = await start();
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()
      AND query LIKE '%palimpsest_recall%' OR query = 'COMMIT'`;
    for (let at = 0; at < 20; at++) {
      const text = `note ${at} of quokka${at}`;
      const [, hits] = await Promise.all([
        index.addFile({ thread: "t", path: `/${at}`, text }),
        index.search("note", { thread: "t" }),
        at % 4 === 0 ? runSql(place, cut) : undefined,
      ]);
      expect(hits.length).toBeLessThanOrEqual(5);
    }
    for (const at of [0, 7, 19])
      expect((await index.search(`quokka${at}`, { thread: "t" }))[0]?.path).toBe(`/${at}`);
    await index.close();
  });

  it("takes an open pool and leaves it open, and shares nothing with an index of another schema", async () => {
    const { place, index: other } = await start();
    const pool = new Pool({ connectionString: place, max: 2 });
    for (const schema of [`one_${process.pid}`, `two_${process.pid}`]) {
      const index = await RecallIndex.fromPostgres(pool, { schema, embeddings: new SubjectEmbeddings() });
      expect(await index.missing("t1", ["/context/results/0.txt"])).toHaveLength(1);
      await fill(index);
      const [hit] = await index.search("a wing", { thread: "t1" });
      expect(hit?.text).toBe(texts[0]);
      await pool.query(`DROP TABLE ${schema}.palimpsest_recall_words`);
      await index.search("sparrow", { thread: "t1" });
      expect(await (await fill(index)).search("sparrow", { thread: "t1" })).not.toEqual([]);
      await index.close();
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    }
    expect(await other.search("sparrow", { thread: "t1" })).toEqual([]);
    await pool.end();
    await other.close();
  });

  it("leaves the tables of a newer version unchanged, and replaces those of an older one", async () => {
    const { index, place } = await start();
    await fill(index);
    await index.close();
    await runSql(place, "UPDATE palimpsest_recall_birth SET version = 99");
    await expect(RecallIndex.fromPostgres(place)).rejects.toMatchObject({ code: "newer-version" });
    await runSql(place, "UPDATE palimpsest_recall_birth SET version = 0");
    const again = await start(place);
    expect(await again.index.missing("t1", ["/context/results/0.txt"])).toHaveLength(1);
    expect(await (await fill(again.index)).search("sparrow", { thread: "t1" })).not.toEqual([]);
    await again.index.close();
  });

  it.each([
    ["denied", "SELECT", "GRANT it the tables", ""],
    ["read-only", "ALL", "allow writes", "SET default_transaction_read_only = on"],
  ])(
    "searches what a role may only read, and says %s to each write",
    async (code, ...[right, way, setting]) => {
      const { index, place } = await start();
      await (await fill(index)).close();
      const [schema] = (await runSql(place, "SELECT current_schema() AS name")).map(({ name }) =>
        String(name),
      );
      const role = `recall_guest_${process.pid}`;
      await runSql(place, `CREATE ROLE ${role} LOGIN`);
      await runSql(place, `GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
      await runSql(place, `GRANT ${right} ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
      if (setting !== "") await runSql(place, `ALTER ROLE ${role} ${setting}`);
      const guest = await RecallIndex.fromPostgres(Object.assign(new URL(place), { username: role }).href);
      expect((await guest.search("sparrow", { thread: "t1" }))[0]?.text).toBe(texts[0]);
      const refused = { code, message: expect.stringContaining(way) as string };
      await expect(
        guest.add([{ thread: "t1", path: "/new", line: 1, text: "A bird." }]),
      ).rejects.toMatchObject(refused);
      await expect(guest.removeThread("t1")).rejects.toMatchObject(refused);
      await guest.close();
      await runSql(place, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
    },
  );

  it("stores any text, also characters that Postgres cannot store as text", async () => {
    const { index } = await start();
    const text = `nul \u0000 and ' " \\ {a,b} %s $1 zebra \u{1F600}`;
    const thread = "t\u0000'";
    const path = `/a'"\\{},${"x".repeat(5_000)}`;
    await index.addFile({ thread, path, kind: "k\u0000", text });
    const [hit] = await index.search("zebra", { thread, kind: "k\u0000", path: "/a'" });
    expect(hit).toMatchObject({ thread, path, text });
    const large = Array.from({ length: 200_000 }, (_, at) => `word${at}`).join(" ");
    await index.add([{ thread, path: "/large", line: 1, text: `okapi ${large}` }]);
    expect((await index.search("okapi", { thread }))[0]?.path).toBe("/large");
    await index.close();
  });

  it("compares all vectors when the native module is missing, and reports it once", async () => {
    const events: RecallEvent[] = [];
    const place = await newDatabase(server);
    const table = new PostgresStore(await openPostgres(place), () => undefined);
    const options = { embeddings: new SubjectEmbeddings(), model: "subjects", table, graphFrom: 1 };
    const onEvent = (event: RecallEvent): unknown => events.push(event);
    const vectors = new EmbeddingSearch({
      ...options,
      onEvent,
      loadGraphs: () => Promise.resolve(undefined),
    });
    await table.add(texts.map((text, at) => ({ thread: "t", path: "/a", line: at + 1, text })));
    for (let round = 0; round < 2; round++) {
      await vectors.update("t");
      await vectors.settled("t");
    }
    const found = await vectors.nearest("a wing", { thread: "t" }, 1);
    expect(
      (
        await table.read(
          found.map(({ id }) => id),
          { thread: "t" },
        )
      )[0]?.text,
    ).toBe(texts[0]);
    expect(events).toEqual([{ type: "graph_missing", passages: texts.length }]);
    await vectors.close();
    await Promise.all([table.close(), table.close()]);
    await expect(table.missing("t", ["/a"])).rejects.toThrow(/after calling end/);
  });

  it("searches the vectors of the current tables after a rebuild", async () => {
    const { index, place } = await start();
    await fill(index);
    await index.search("wing", { thread: "t1" });
    const other = await start(place);
    await other.index.removeThread("t1");
    await other.index.add([{ thread: "t1", path: "/new", line: 1, text: "A bird again." }]);
    const hits = await index.search("wing", { thread: "t1" });
    expect(hits.map(({ path }) => path)).toEqual(["/new"]);
    await index.close();
    await other.index.close();
  });
});
