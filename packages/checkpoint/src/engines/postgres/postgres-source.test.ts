import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { Pool } from "pg";
import type { PoolConfig } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { VfsSaver } from "../../saver/vfs-saver.js";
import { newDatabase } from "../../testing/empty-postgres.js";

const given = process.env["PALIMPSEST_POSTGRES_URL"];
const config = { configurable: { thread_id: "t" } };

/** Takes a step of a thread, writes a file, deletes the thread of another name, and returns what is stored. */
async function useSaver(saver: VfsSaver, text: string): Promise<readonly string[]> {
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("answer", () => ({ messages: [{ role: "assistant", content: `to ${text}` }] }))
    .addEdge(START, "answer")
    .compile({ checkpointer: saver });
  const { messages } = await graph.invoke({ messages: text }, config);
  await saver.files.driver.write("/note", Buffer.from(text));
  await saver.copyThread("t", "copy");
  await saver.prune("copy", { keepLast: 1 });
  await saver.deleteThread("copy");
  return messages.map((message) => message.text);
}

const noteOf = async (saver: VfsSaver): Promise<string> =>
  Buffer.from((await saver.files.driver.read("/note")) ?? []).toString();

describe.each(given ? [given] : [])("a saver on Postgres", async (server) => {
  const url = await newDatabase(server, `palimpsest_source_${process.pid}`);
  const pool = new Pool({ connectionString: url, max: 3 });
  afterAll(async () => pool.end());

  it("takes the options of pg, and finds what a saver with the url wrote", async () => {
    const { hostname: host, port, username: user, password, pathname } = new URL(url);
    const options: PoolConfig = { host, port: Number(port), user, password, database: pathname.slice(1) };
    const [byUrl, byOptions] = [await VfsSaver.fromPostgres(url), await VfsSaver.fromPostgres(options)];
    await useSaver(byUrl, "one");
    expect(await useSaver(byOptions, "two")).toEqual(["one", "to one", "two", "to two"]);
    await Promise.all([byUrl.close(), byOptions.close()]);
  });

  it("takes an open pool and leaves it open", async () => {
    const saver = await VfsSaver.fromPostgres(pool, { schema: "given" });
    await useSaver(saver, "one");
    await saver.close();
    expect((await pool.query("SELECT name FROM given.palimpsest_threads WHERE name <> ''")).rows).toEqual([
      { name: "t" },
    ]);
  });

  it("leaves the listeners and the search path of the connections of a given pool as they were", async () => {
    const before = (await pool.query("SHOW search_path")).rows;
    const saver = await VfsSaver.fromPostgres(pool, { schema: "listeners" });
    for (let step = 0; step < 12; step++) await useSaver(saver, `${step}`);
    expect((await pool.query("SHOW search_path")).rows).toEqual(before);
    const connection = await pool.connect();
    expect(connection.listenerCount("error")).toBeLessThan(3);
    connection.release();
  });

  it("shares nothing with a saver of another schema on the same pool", async () => {
    const schemas = ["first", "Second-Schema", undefined];
    const savers = await Promise.all(
      schemas.map(async (schema) => VfsSaver.fromPostgres(pool, schema === undefined ? {} : { schema })),
    );
    for (const [at, saver] of savers.entries()) {
      await saver.deleteThread("t");
      expect(await useSaver(saver, `${at}`)).toEqual([`${at}`, `to ${at}`]);
    }
    expect(await Promise.all(savers.map(noteOf))).toEqual(["0", "1", "2"]);
  });

  it("creates its schema once when several savers open it at the same time", async () => {
    const savers = await Promise.all(
      [1, 2, 3, 4].map(async () => VfsSaver.fromPostgres(url, { schema: "together", connections: 1 })),
    );
    await Promise.all(savers.map(async (saver) => saver.close()));
    const sql = "SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname = 'together'";
    expect((await pool.query(sql)).rows).toEqual([{ tables: 2 }]);
  });

  it("needs no right to create schemas where its schema is there", async () => {
    await pool.query(`DROP ROLE IF EXISTS small_${process.pid}`);
    await pool.query(`CREATE ROLE small_${process.pid} LOGIN`);
    await pool.query(`CREATE SCHEMA small AUTHORIZATION small_${process.pid}`);
    const small = new URL(url);
    small.username = `small_${process.pid}`;
    const saver = await VfsSaver.fromPostgres(small.href, { schema: "small" });
    expect(await useSaver(saver, "one")).toEqual(["one", "to one"]);
    await saver.close();
    await pool.query(`DROP SCHEMA small CASCADE; DROP ROLE small_${process.pid}`);
  });

  it("goes on when a connection of a given pool ends inside a transaction", async () => {
    const saver = await VfsSaver.fromPostgres(pool, { schema: "cut" });
    await useSaver(saver, "one");
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND datname = current_database()`;
    const others = new Pool({ connectionString: url, max: 1 });
    pool.on("error", () => undefined);
    const [texts] = await Promise.all([useSaver(saver, "two"), others.query(cut)]);
    await others.end();
    expect(texts).toEqual(["one", "to one", "two", "to two"]);
  });
});
