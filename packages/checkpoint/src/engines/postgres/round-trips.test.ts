import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { Pool } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { VfsSaver } from "../../saver/vfs-saver.js";
import { newDatabase } from "../../testing/empty-postgres.js";

const given = process.env["PALIMPSEST_POSTGRES_URL"];
const config = { configurable: { thread_id: "t", checkpoint_ns: "" } };
const metadata = { source: "loop" as const, step: 1, parents: {} };

const checkpoint = (step: number) => ({
  ...emptyCheckpoint(),
  id: uuid6(step),
  channel_values: { note: `step ${step}` },
  channel_versions: { note: step },
});

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

describe.each(given ? [given] : [])("a round trip to Postgres", async (server) => {
  const url = await newDatabase(server, `palimpsest_trips_${process.pid}`);
  const pools: Pool[] = [];
  afterAll(async () => {
    for (const pool of pools) await pool.end();
  });

  /** A saver, and the count of its statements, connections included. */
  const open = async () => {
    let trips = 0;
    const pool = new Pool({ connectionString: url, max: 1 });
    pools.push(pool);
    const saver = await VfsSaver.fromPostgres(pool);
    const connection = await pool.connect();
    const send = connection.query.bind(connection) as (...args: unknown[]) => unknown;
    connection.query = ((...args: unknown[]) => {
      trips += 1;
      return send(...args);
    }) as never;
    connection.release();
    const tripsOf = async (work: () => Promise<unknown>): Promise<number> => {
      const before = trips;
      await work();
      return trips - before;
    };
    return { saver, tripsOf };
  };

  it("is all that each part of a step takes, the first one of a thread included", async () => {
    const { saver, tripsOf } = await open();
    const begun = checkpoint(1);
    // A graph reads a thread before it writes to it.
    expect(await tripsOf(async () => saver.getTuple(config))).toBe(1);
    expect(await tripsOf(async () => saver.put(config, begun, metadata, { note: 1 }))).toBe(1);
    const first = { configurable: { ...config.configurable, checkpoint_id: begun.id } };
    expect(await tripsOf(async () => saver.putWrites(first, [["note", "a"]], "task"))).toBe(1);
    expect(await tripsOf(async () => saver.put(config, checkpoint(2), metadata, { note: 2 }))).toBe(1);
    expect(await tripsOf(async () => saver.getTuple(config))).toBe(1);
    expect(await tripsOf(async () => all(saver.list(config)))).toBe(1);
    expect(await tripsOf(async () => saver.threads())).toBe(1);
  });

  it("is all that the first step of another process takes, which finds the thread of this one", async () => {
    const { saver: other, tripsOf } = await open();
    expect(await tripsOf(async () => other.getTuple(config))).toBe(1);
    expect(await tripsOf(async () => other.put(config, checkpoint(3), metadata, { note: 3 }))).toBe(1);
    expect((await other.getTuple(config))?.checkpoint.channel_values).toEqual({ note: "step 3" });
    expect(await other.threads()).toEqual(["t"]);
  });

  it("is what the first step of a process that has not read the thread takes beside its own: it may be encrypted", async () => {
    const { saver: other, tripsOf } = await open();
    const blind = { configurable: { thread_id: "blind", checkpoint_ns: "" } };
    expect(await tripsOf(async () => other.put(blind, checkpoint(1), metadata, { note: 1 }))).toBe(2);
    expect(await tripsOf(async () => other.put(blind, checkpoint(2), metadata, { note: 2 }))).toBe(1);
  });

  it("creates a thread once when eight processes begin it together, and keeps what each puts", async () => {
    const savers = await Promise.all(Array.from({ length: 8 }, async () => (await open()).saver));
    for (let round = 0; round < 10; round++) {
      const own = { configurable: { thread_id: `together ${round}`, checkpoint_ns: "" } };
      await Promise.all(
        savers.map(async (saver, index) => saver.put(own, checkpoint(index), metadata, { note: index })),
      );
      const { saver: reader } = await open();
      const found = await all(reader.list(own));
      expect(new Set(found.map((tuple) => tuple.checkpoint.channel_values["note"]))).toEqual(
        new Set(savers.map((_, index) => `step ${index}`)),
      );
      expect(found).toHaveLength(savers.length);
    }
  });
});
