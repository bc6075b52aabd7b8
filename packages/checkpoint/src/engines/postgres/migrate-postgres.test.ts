import { HumanMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { newDatabase } from "../../testing/empty-postgres.js";
import { VfsSaver } from "../../saver/vfs-saver.js";
import { fromAscii } from "./ascii.js";

const given = process.env["PALIMPSEST_POSTGRES_URL"];
const config = { configurable: { thread_id: "t" } };

function chat(saver: VfsSaver) {
  return new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("answer", () => ({ messages: [new HumanMessage("an answer".repeat(100))] }))
    .addEdge(START, "answer")
    .compile({ checkpointer: saver });
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function connected(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await work(client);
  await client.end();
}

/** Writes what is stored as version 1 did. */
async function toVersion1(client: Client): Promise<void> {
  const { rows } = await client.query("SELECT checkpoint_id, checkpoint FROM checkpoints");
  for (const { checkpoint_id: id, checkpoint } of rows) {
    const stored = { v: checkpoint.v, packed: fromAscii(checkpoint.p).toString("base64") };
    await client.query("UPDATE checkpoints SET checkpoint = $2 WHERE checkpoint_id = $1", [id, stored]);
  }
  await client.query("UPDATE checkpoint_writes SET channel = '@writes' WHERE channel = '@'");
  await setVersion(client, 1);
}

async function setVersion(client: Client, version: number): Promise<void> {
  await client.query("UPDATE palimpsest_version SET version = $1", [version]);
}

describe.each(given ? [given] : [])("a Postgres database", (server) => {
  it("of version 1 is read whole, and its threads go on", async () => {
    const url = await newDatabase(server, `palimpsest_v1_${process.pid}`);
    const before = await VfsSaver.fromPostgres(url);
    const live = await chat(before).invoke({ messages: ["one"] }, config);
    await before.close();
    await connected(url, toVersion1);
    const after = await VfsSaver.fromPostgres(url);
    const history = await all(chat(after).getStateHistory(config));
    expect(history.map(({ values }) => values.messages?.length ?? 0)).toEqual([2, 1, 0]);
    expect(history[0]?.values).toEqual(live);
    expect((await all(after.list(config)))[1]?.pendingWrites).toMatchObject([
      [expect.any(String), "messages", [{ content: "an answer".repeat(100) }]],
    ]);
    const next = await chat(after).invoke({ messages: ["two"] }, config);
    expect(next.messages.map(({ content }) => content)).toEqual([
      ...live.messages.map(({ content }) => content),
      "two",
      "an answer".repeat(100),
    ]);
    await after.close();
  });

  it("of a newer version is refused, and left as it is", async () => {
    const url = await newDatabase(server, `palimpsest_newer_${process.pid}`);
    await (await VfsSaver.fromPostgres(url)).close();
    await connected(url, async (client) => setVersion(client, 99));
    await expect(VfsSaver.fromPostgres(url)).rejects.toMatchObject({ code: "newer-version" });
    await connected(url, async (client) => setVersion(client, 2));
    await (await VfsSaver.fromPostgres(url)).close();
  });
});
