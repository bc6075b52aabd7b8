import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { Client } from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { VfsSaver } from "../../saver/vfs-saver.js";
import { newDatabase } from "../../testing/empty-postgres.js";

const given = process.env["PALIMPSEST_POSTGRES_URL"];
const config = { configurable: { thread_id: "t", checkpoint_ns: "" } };
const role = `palimpsest_guest_${process.pid}`;

const put = async (saver: VfsSaver) =>
  saver.put(config, emptyCheckpoint(), { source: "loop", step: 1, parents: {} }, {});

describe.each(given ? [given] : [])("a Postgres database", (server) => {
  let url = "";
  const run = async (sql: string): Promise<void> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  /** The url for the guest, after the statements have run. */
  const asGuest = async (...statements: readonly string[]): Promise<string> => {
    await run(`DROP OWNED BY ${role}; ALTER ROLE ${role} RESET ALL; ALTER ROLE ${role} LOGIN`);
    await run(statements.join(";"));
    return Object.assign(new URL(url), { username: role }).href;
  };

  beforeAll(async () => {
    url = await newDatabase(server, `palimpsest_refused_${process.pid}`);
    await run(`DROP ROLE IF EXISTS ${role}; CREATE ROLE ${role} LOGIN`);
    const owner = await VfsSaver.fromPostgres(url);
    await put(owner);
    await owner.files.driver.write("/f", Buffer.from("text"));
    await owner.close();
    return async () => run(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  it.each([
    ["SELECT alone", "denied", [`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`]],
    [
      "read-only sessions",
      "read-only",
      [
        `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`,
        `ALTER ROLE ${role} SET default_transaction_read_only = on`,
      ],
    ],
  ])("that grants %s is read, and every write says the way out: %s", async (_, code, grants) => {
    const saver = await VfsSaver.fromPostgres(await asGuest(...grants));
    expect((await saver.getTuple(config))?.metadata).toMatchObject({ step: 1 });
    expect(Buffer.from((await saver.files.driver.read("/f")) ?? []).toString()).toBe("text");
    const refused = {
      code,
      message: expect.stringMatching(/GRANT it the tables|allow writes/u) as string,
    };
    await expect(put(saver)).rejects.toMatchObject(refused);
    await expect(
      saver.putWrites(
        { ...config, configurable: { ...config.configurable, checkpoint_id: "1" } },
        [["a", 1]],
        "task",
      ),
    ).rejects.toMatchObject(refused);
    await expect(saver.deleteThread("t")).rejects.toMatchObject(refused);
    await expect(saver.prune("t", { keepLast: 1 })).rejects.toMatchObject(refused);
    await expect(saver.copyThread("t", "u")).rejects.toMatchObject(refused);
    await expect(saver.files.driver.write("/g", Buffer.from("text"))).rejects.toMatchObject(refused);
    await expect(saver.files.driver.delete("/f")).rejects.toMatchObject(refused);
    await saver.close();
  });

  it.each([
    ["grants nothing", "denied", []],
    ["lets the role not log in", "denied", [`ALTER ROLE ${role} NOLOGIN`]],
  ])("that %s is refused with the way out", async (_, code, statements) => {
    await expect(VfsSaver.fromPostgres(await asGuest(...statements))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/GRANT it the tables|Check them/u) as string,
    });
  });

  it.each([
    [{ username: "palimpsest_nobody" }, "denied", "Postgres refused the role"],
    [{ pathname: "/palimpsest_nowhere" }, "not-a-database", "Create it"],
  ])("is refused with the way out where the url has %j", async (part, code, way) => {
    await expect(VfsSaver.fromPostgres(Object.assign(new URL(url), part).href)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(way) as string,
    });
  });
});
