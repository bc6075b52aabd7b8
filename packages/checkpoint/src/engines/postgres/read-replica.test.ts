import { HumanMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VfsSaver } from "../../saver/vfs-saver.js";
import { newDatabase } from "../../testing/empty-postgres.js";
import { TransactionPooler } from "../../testing/pooler/transaction-pooler.js";

const given = process.env["PALIMPSEST_POSTGRES_URL"];
const config = { configurable: { thread_id: "t", checkpoint_ns: "" } };
const role = `palimpsest_replica_${process.pid}`;

async function talk(saver: VfsSaver): Promise<void> {
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("answer", () => ({ messages: [new HumanMessage("yes")] }))
    .addEdge(START, "answer")
    .compile({ checkpointer: saver });
  await graph.invoke({ messages: [new HumanMessage("ready?")] }, config);
}

async function textsOf(saver: VfsSaver): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of saver.readThread(config)) texts.push(text);
  return texts;
}

describe.each(given ? [given] : [])("a saver on Postgres that is opened read-only", (server) => {
  let url = "";
  let pooler: TransactionPooler;
  const run = async (sql: string): Promise<void> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(sql);
    await client.end();
  };

  beforeAll(async () => {
    url = await newDatabase(server, `palimpsest_replica_${process.pid}`);
    pooler = await TransactionPooler.start(url);
    const owner = await VfsSaver.fromPostgres(url);
    await talk(owner);
    await owner.files.archive("t").append("/context/history/1.jsonl", "an original");
    await owner.close();
    await run(`DROP ROLE IF EXISTS ${role}; CREATE ROLE ${role} LOGIN;
      GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role};
      ALTER ROLE ${role} SET default_transaction_read_only = on`);
  });
  afterAll(async () => {
    await run(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await pooler.stop();
  });

  it.each([
    ["a role that may write", () => url],
    ["a session that may not, as on a replica", () => Object.assign(new URL(url), { username: role }).href],
    ["a pooler", () => pooler.url],
  ])("reads everything and refuses every write, with %s", async (_, urlOf) => {
    const saver = await VfsSaver.fromPostgres(urlOf(), { readOnly: true });
    expect(await textsOf(saver)).toEqual(["ready?", "yes"]);
    expect(await saver.files.archive("t").readText("/context/history/1.jsonl")).toBe("an original");
    expect(await saver.threads({ prefix: "t" })).toEqual(["t"]);
    const damage: unknown[] = [];
    await saver.verify("t", (part) => damage.push(part));
    expect(damage).toEqual([]);
    const refused = { code: "read-only" };
    await expect(talk(saver)).rejects.toMatchObject(refused);
    await expect(saver.deleteThread("t")).rejects.toMatchObject(refused);
    await expect(saver.prune("t", { keepLast: 1 })).rejects.toMatchObject(refused);
    await expect(saver.copyThread("t", "u")).rejects.toMatchObject(refused);
    await expect(saver.files.driver.write("/f", Buffer.from("text"))).rejects.toMatchObject(refused);
    await expect(saver.files.driver.delete("/f")).rejects.toMatchObject(refused);
    await expect(saver.erase({ match: "ready", reason: "asked" })).resolves.toMatchObject({
      failed: [{ threadId: "t", error: refused }],
    });
    await saver.close();
    const reader = await VfsSaver.fromPostgres(url);
    expect(await textsOf(reader)).toEqual(["ready?", "yes"]);
    await reader.close();
  });

  it("sees what another saver writes meanwhile", async () => {
    const [writer, reader] = [
      await VfsSaver.fromPostgres(url),
      await VfsSaver.fromPostgres(url, { readOnly: true }),
    ];
    const before = await textsOf(reader);
    await talk(writer);
    expect(await textsOf(reader)).toHaveLength(before.length + 2);
    await Promise.all([writer.close(), reader.close()]);
  });

  it("creates nothing in an empty database, and says that it is empty", async () => {
    const empty = await newDatabase(server, `palimpsest_empty_${process.pid}`);
    await expect(VfsSaver.fromPostgres(empty, { readOnly: true })).rejects.toMatchObject({
      code: "not-found",
      message: expect.stringContaining("schema") as string,
    });
    const client = new Client({ connectionString: empty });
    await client.connect();
    expect((await client.query("SELECT FROM pg_tables WHERE schemaname = 'public'")).rowCount).toBe(0);
    await client.end();
  });
});
