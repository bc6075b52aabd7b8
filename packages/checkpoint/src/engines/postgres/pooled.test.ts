import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { Client, Pool } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { VfsSaver } from "../../saver/vfs-saver.js";
import { emptyPostgres, newDatabase } from "../../testing/empty-postgres.js";
import { contentsAt, notebook } from "../../testing/notebook.js";
import { TransactionPooler } from "../../testing/pooler/transaction-pooler.js";

const given = process.env["PALIMPSEST_POSTGRES_URL"];
const config = (threadId: string) => ({ configurable: { thread_id: threadId } });

describe.each(given ? [given] : [])(
  "through a pooler that hands connections out for transactions",
  async (server) => {
    const pooler = await TransactionPooler.start(server);
    afterAll(async () => pooler.stop());

    const initializer = {
      checkpointerName: "VfsSaver, Postgres behind a pooler",
      createCheckpointer: async () => emptyPostgres(pooler.url),
      destroyCheckpointer: async (saver: VfsSaver) => saver.close(),
    };
    validate(initializer);
    deltaChannelHistoryTests(initializer);

    it("four savers of two schemas write, copy, prune and delete beside each other, on changing connections", async () => {
      const url = await newDatabase(pooler.url, `palimpsest_pooled_${process.pid}`);
      const before = pooler.switches;
      const savers = await Promise.all(
        ["one", "two", "one", "two"].map(async (schema) =>
          VfsSaver.fromPostgres(url, { schema, connections: 4 }),
        ),
      );
      await Promise.all(
        savers.map(async (saver, at) => {
          const own = config(`thread ${at}`);
          for (let step = 0; step < 6; step++) {
            await notebook(saver).invoke({ todo: { [`/${step % 3}`]: `saver ${at}, step ${step}` } }, own);
            await saver.files
              .archive(`thread ${at}`)
              .append(`/context/history/${step}.jsonl`, `original ${at}`);
          }
          await saver.copyThread(`thread ${at}`, `copy ${at}`);
          await saver.prune(`thread ${at}`, { keepLast: 1 });
          await saver.copyThread(`thread ${at}`, `gone ${at}`);
          await saver.deleteThreads([`gone ${at}`]);
        }),
      );
      expect(pooler.switches - before).toBeGreaterThan(100);
      for (const [at, saver] of savers.entries()) {
        const contents = Object.fromEntries(
          [3, 4, 5].map((step) => [`/${step % 3}`, `saver ${at}, step ${step}`]),
        );
        expect(await contentsAt(saver, config(`thread ${at}`))).toEqual(contents);
        expect(await contentsAt(saver, config(`copy ${at}`))).toEqual(contents);
        expect(await saver.files.archive(`copy ${at}`).readText("/context/history/5.jsonl")).toBe(
          `original ${at}`,
        );
        const others = [at, (at + 2) % 4].toSorted((a, b) => a - b);
        expect(await saver.threads({ prefix: "" })).toEqual([
          ...others.map((other) => `copy ${other}`),
          ...others.map((other) => `thread ${other}`),
        ]);
        const damage: unknown[] = [];
        await saver.verify(`thread ${at}`, (part) => damage.push(part));
        expect(damage).toEqual([]);
      }
      await savers[0]?.erase({ thread: "thread 0", reason: "asked" });
      expect(await savers[2]?.threads({ prefix: "thread" })).toEqual(["thread 2"]);
      await Promise.all(savers.map(async (saver) => saver.close()));
    });

    it("no setting of a saver reaches the next client of its connection", async () => {
      const url = await newDatabase(pooler.url, `palimpsest_settings_${process.pid}`);
      const settings = `SELECT name, setting FROM pg_settings WHERE source = 'session' ORDER BY name`;
      const locks = "SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory'";
      const other = new Client({ connectionString: url });
      await other.connect();
      const before = (await other.query(settings)).rows;
      const saver = await VfsSaver.fromPostgres(url, { schema: "own" });
      await notebook(saver).invoke({ todo: { "/f": "content" } }, config("t"));
      await saver.copyThread("t", "u");
      await saver.deleteThread("t");
      for (let connection = 0; connection < 6; connection++) {
        expect((await other.query(settings)).rows).toEqual(before);
        expect(
          (await other.query("SELECT current_setting('palimpsest.locked', true) AS ids")).rows[0]?.ids,
        ).toBeFalsy();
        expect((await other.query(locks)).rows).toEqual([{ count: 0 }]);
        expect((await other.query("SELECT FROM pg_class WHERE relpersistence = 't'")).rowCount).toBe(0);
      }
      await other.end();
      await saver.close();
    });

    it("a url with options of the session is refused, and says the way out", async () => {
      const url = new URL(await newDatabase(pooler.url, `palimpsest_options_${process.pid}`));
      url.searchParams.set("options", "-c search_path=own");
      await expect(VfsSaver.fromPostgres(url.href)).rejects.toMatchObject({
        code: "bad-option",
        message: expect.stringContaining("{ schema }") as string,
      });
    });

    it("the pooler of these tests loses what a session keeps, as real ones do", async () => {
      const url = await newDatabase(pooler.url, `palimpsest_sessions_${process.pid}`);
      const pool = new Pool({ connectionString: url, max: 4 });
      const clients = await Promise.all([1, 2, 3].map(async () => pool.connect()));
      const pids = new Set<unknown>();
      for (let run = 0; run < 6; run++)
        pids.add((await clients[0]?.query("SELECT pg_backend_pid() AS pid"))?.rows[0]?.pid);
      expect(pids.size).toBe(3);
      const prepared = { name: "own", text: "SELECT $1::int AS number", values: [1] };
      const runs = async () => {
        for (let run = 0; run < 3; run++) await clients[0]?.query(prepared);
      };
      await expect(runs()).rejects.toMatchObject({ code: "26000" });
      await clients[1]?.query("BEGIN");
      const inside = new Set<unknown>();
      for (let run = 0; run < 3; run++)
        inside.add((await clients[1]?.query("SELECT pg_backend_pid() AS pid"))?.rows[0]?.pid);
      await clients[1]?.query("COMMIT");
      expect(inside.size).toBe(1);
      for (const client of clients) client.release(true);
      await pool.end();
    });
  },
);
