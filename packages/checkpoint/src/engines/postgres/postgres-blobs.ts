import type { BlobPort } from "../wrapped/blob-port.js";
import { retrying, transaction } from "./postgres-pool.js";
import type { Client, Pool } from "./postgres-pool.js";

const perInsert = 256;
const bytesPerInsert = 8_000_000;

/** A thread's row and those it replaced. */
const generations = `SELECT id FROM palimpsest_threads WHERE name = $1
  UNION SELECT id FROM palimpsest_threads WHERE successor = (SELECT id FROM palimpsest_threads WHERE name = $1)`;

/** Keeps blobs in Postgres, each thread's by themselves. A thread's number is its epoch: no two ever have the same. */
export class PostgresBlobs implements BlobPort {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async epoch(threadId: string): Promise<string | undefined> {
    return retrying(async () => {
      const { rows } = await this.#pool.query("SELECT id FROM palimpsest_threads WHERE name = $1", [
        threadId,
      ]);
      return rows[0] && String(rows[0]["id"]);
    });
  }

  async put(threadId: string, blobs: ReadonlyMap<string, Uint8Array>): Promise<string> {
    const [first, ...others] = batches(blobs);
    return retrying(async () => {
      const known = first && others.length === 0 ? await addToKnown(this.#pool, threadId, first) : undefined;
      if (known !== undefined) return known;
      return transaction(this.#pool, async (client) => {
        const thread = await lockedThread(client, threadId);
        for (const some of first ? [first, ...others] : []) await add(client, thread, some);
        return thread;
      });
    });
  }

  async get(threadId: string, digests: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const { rows } = await retrying(async () =>
      this.#pool.query(
        `SELECT digest, data FROM palimpsest_blobs WHERE thread IN (${generations}) AND digest = ANY($2)`,
        [threadId, digests.map(keyOf)],
      ),
    );
    return new Map(
      rows.map(({ digest, data }) => [(digest as Buffer).toString("base64url"), data as Buffer]),
    );
  }

  async deleteThread(threadId: string, deleteCheckpoints: () => Promise<void>): Promise<void> {
    const { rows } = await retrying(async () =>
      this.#pool.query(`DELETE FROM palimpsest_threads WHERE id IN (${generations}) RETURNING id`, [
        threadId,
      ]),
    );
    await retrying(deleteCheckpoints);
    const ids = rows.map(({ id }) => id);
    await retrying(async () =>
      this.#pool.query("DELETE FROM palimpsest_blobs WHERE thread = ANY($1)", [ids]),
    );
  }

  async nextEpoch(threadId: string): Promise<readonly string[]> {
    return retrying(async () =>
      transaction(this.#pool, async (client) => {
        const old = await lockedThread(client, threadId);
        const earlier = "UPDATE palimpsest_threads SET name = NULL WHERE id = $1";
        await client.query(earlier, [old]);
        const { rows } = await client.query(
          "INSERT INTO palimpsest_threads (name) VALUES ($1) RETURNING id",
          [threadId],
        );
        const ended = await client.query(
          "UPDATE palimpsest_threads SET successor = $2 WHERE id = $1 OR successor = $1 RETURNING id",
          [old, rows[0]?.["id"]],
        );
        return ended.rows.map(({ id }) => String(id));
      }),
    );
  }

  async adopt(threadId: string, reached: ReadonlySet<string>, ended: readonly string[]): Promise<number> {
    return retrying(async () =>
      transaction(this.#pool, async (client) => {
        const thread = await lockedThread(client, threadId);
        const keys = [...reached].map(keyOf);
        await client.query(
          `INSERT INTO palimpsest_blobs (thread, digest, data) SELECT DISTINCT ON (digest) $1::bigint, digest, data
           FROM palimpsest_blobs WHERE thread = ANY($3) AND digest = ANY($2) ON CONFLICT DO NOTHING`,
          [thread, keys, ended],
        );
        const gone = await client.query(
          `WITH gone AS (DELETE FROM palimpsest_blobs WHERE thread = ANY($1) RETURNING digest)
           SELECT count(*) FILTER (WHERE NOT digest = ANY($2)) AS deleted FROM gone`,
          [ended, keys],
        );
        await client.query("DELETE FROM palimpsest_threads WHERE id = ANY($1)", [ended]);
        return Number(gone.rows[0]?.["deleted"]);
      }),
    );
  }

  async close(): Promise<void> {
    // The pool belongs to whoever opened it.
  }
}

type Batch = readonly (readonly [digest: string, packed: Uint8Array])[];

/** Adds blobs to a thread that is there, in one statement: a transaction takes five. Returns undefined when it is not. */
async function addToKnown(client: Client, threadId: string, blobs: Batch): Promise<string | undefined> {
  const { rows } = await client.query(
    `WITH thread AS (SELECT id FROM palimpsest_threads WHERE name = $1 FOR KEY SHARE), added AS (
       INSERT INTO palimpsest_blobs (thread, digest, data)
       SELECT thread.id, blob.* FROM thread, unnest($2::bytea[], $3::bytea[]) AS blob ON CONFLICT DO NOTHING
     ) SELECT id FROM thread`,
    [threadId, ...columnsOf(blobs)],
  );
  return rows[0] && String(rows[0]["id"]);
}

async function add(client: Client, thread: string, blobs: Batch): Promise<void> {
  await client.query(
    `INSERT INTO palimpsest_blobs (thread, digest, data)
     SELECT $1, * FROM unnest($2::bytea[], $3::bytea[]) ON CONFLICT DO NOTHING`,
    [thread, ...columnsOf(blobs)],
  );
}

function columnsOf(blobs: Batch): readonly [Buffer[], Buffer[]] {
  return [blobs.map(([digest]) => keyOf(digest)), blobs.map(([, packed]) => Buffer.from(packed))];
}

/** Returns the number of a thread that cannot be deleted or replaced until the transaction ends. */
async function lockedThread(client: Client, threadId: string): Promise<string> {
  await client.query("INSERT INTO palimpsest_threads (name) VALUES ($1) ON CONFLICT DO NOTHING", [threadId]);
  const sql = "SELECT id FROM palimpsest_threads WHERE name = $1 FOR KEY SHARE";
  const { rows } = await client.query(sql, [threadId]);
  if (rows[0]) return String(rows[0]["id"]);
  throw Object.assign(new Error(`The thread ${threadId} was deleted meanwhile`), { code: "40001" });
}

function keyOf(digest: string): Buffer {
  return Buffer.from(digest, "base64url");
}

function* batches(blobs: ReadonlyMap<string, Uint8Array>): Generator<Batch> {
  let some: [string, Uint8Array][] = [];
  let size = 0;
  for (const blob of blobs) {
    some.push(blob);
    size += blob[1].length;
    if (some.length < perInsert && size < bytesPerInsert) continue;
    yield some;
    some = [];
    size = 0;
  }
  if (some.length > 0) yield some;
}
