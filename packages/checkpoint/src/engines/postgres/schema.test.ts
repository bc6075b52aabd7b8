import { HumanMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { VfsSaver } from "../../saver/vfs-saver.js";
import { newDatabase } from "../../testing/empty-postgres.js";

const given = process.env["PALIMPSEST_POSTGRES_URL"];
const config = { configurable: { thread_id: "t" } };

function chat(saver: BaseCheckpointSaver) {
  return new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("answer", () => ({ messages: [new HumanMessage("an answer".repeat(100))] }))
    .addEdge(START, "answer")
    .compile({ checkpointer: saver });
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

const newer = `CREATE TABLE palimpsest_threads (id BIGINT, epoch BIGINT, name TEXT PRIMARY KEY);
  INSERT INTO palimpsest_threads (name, epoch) VALUES ('', 99)`;
const preRelease = `CREATE TABLE palimpsest_version (version INT NOT NULL);
  INSERT INTO palimpsest_version (version) VALUES (1)`;
const tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename";

describe.each(given ? [given] : [])("a Postgres database", (server) => {
  it.each([
    ["a newer version", newer, "newer-version"],
    ["a pre-release, whose checkpoints are in tables of PostgresSaver,", preRelease, "older-version"],
  ])("of %s is refused and stays as it is", async (_, sql, code) => {
    const url = await newDatabase(server, `palimpsest_version_${process.pid}`);
    await query(url, sql);
    const before = await query(url, tables);
    await expect(VfsSaver.fromPostgres(url)).rejects.toMatchObject({ code });
    expect(await query(url, tables)).toEqual(before);
  });

  it("gets its tables once when several savers open it at the same time", async () => {
    const url = await newDatabase(server, `palimpsest_together_${process.pid}`);
    const savers = await Promise.all(Array.from({ length: 5 }, async () => VfsSaver.fromPostgres(url)));
    expect(await query(url, "SELECT epoch FROM palimpsest_threads WHERE name = ''")).toEqual([
      { epoch: "3" },
    ]);
    await Promise.all(savers.map(async (saver) => saver.close()));
  });

  it("gets the tables of files with the first file, and has no files before", async () => {
    const url = await newDatabase(server, `palimpsest_first_${process.pid}`);
    const savers = await Promise.all([1, 2, 3].map(async () => VfsSaver.fromPostgres(url)));
    const drivers = savers.map(({ files }) => files.driver);
    const [reader] = drivers;
    expect(await reader?.read("/0")).toBeUndefined();
    expect(await reader?.stat("/0")).toBeUndefined();
    expect(await reader?.delete("/0")).toBe(false);
    await savers[0]?.deleteThread("nobody");
    expect(await query(url, tables)).not.toContainEqual({ tablename: "palimpsest_files" });
    await Promise.all(drivers.map(async (driver, index) => driver.write(`/${index}`, Buffer.from("x"))));
    for (const index of drivers.keys())
      expect(Buffer.from((await reader?.read(`/${index}`)) ?? []).toString()).toBe("x");
    await Promise.all(savers.map(async (saver) => saver.close()));
  });

  it("with threads of PostgresSaver continues them when that saver is wrapped", async () => {
    const url = await newDatabase(server, `palimpsest_adopted_${process.pid}`);
    const theirs = PostgresSaver.fromConnString(url);
    await theirs.setup();
    const before = await chat(theirs).invoke({ messages: ["one"] }, config);
    const ours = await VfsSaver.fromPostgres(url);
    expect(await ours.getTuple(config)).toBeUndefined();
    const wrapped = VfsSaver.wrap(theirs, { blobs: ours.files.driver });
    expect((await chat(wrapped).getState(config)).values).toEqual(before);
    const after = await chat(wrapped).invoke({ messages: ["two"] }, config);
    expect(after.messages.slice(0, 2)).toEqual(before.messages);
    expect(after.messages.slice(2).map(({ text }) => text)).toEqual(["two", "an answer".repeat(100)]);
    await wrapped.close();
    await ours.close();
    await theirs.end();
  });
});
