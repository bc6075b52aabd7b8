import type { Postgres, PostgresClient } from "@palimpsest/sql";
import type { Node } from "../../codec/node.js";
import { planPrune } from "../../collection/plan-prune.js";
import { reachAll, rootsOf, treesOf } from "../../collection/reach.js";
import type {
  Batch,
  BatchResult,
  CheckpointKey,
  EarlyWrite,
  Engine,
  EngineSizes,
  ListQuery,
  OnDamage,
  PrunePolicy,
  PruneResult,
  Rewrite,
  StoredTuple,
  ThreadRange,
} from "../../engine.js";
import { newEpoch, PostgresCommits } from "./postgres-commits.js";
import { rewriteRows } from "./postgres-rewrite.js";
import { allTuples, blobs, page, pageSize, pagesOf, rangeOf, spaces, threadsIn } from "./postgres-pages.js";
import { postgresSizes } from "./postgres-sizes.js";
import { digestKey, toKey, writesIn } from "./postgres-rows.js";

/** The writes whose checkpoint is not stored yet: if steps overlap, a task may end before its checkpoint is written. */
const earlySql = `
  SELECT namespace, id, task, data FROM palimpsest_entries AS early WHERE thread = $1 AND kind = 'w' AND NOT EXISTS (
    SELECT FROM palimpsest_entries AS entry
    WHERE entry.thread = $1 AND entry.kind = 'c' AND entry.namespace = early.namespace AND entry.id = early.id
  )`;

/** Those of all threads. */
const allEarlySql = `
  SELECT name, namespace, early.id, task, data FROM palimpsest_entries AS early
  JOIN palimpsest_threads AS threads ON threads.id = early.thread WHERE kind = 'w' AND NOT EXISTS (
    SELECT FROM palimpsest_entries AS entry
    WHERE entry.thread = early.thread AND entry.kind = 'c' AND entry.namespace = early.namespace AND entry.id = early.id
  )`;

/** Keeps checkpoints in Postgres, each thread with its own copy of its blobs. Retries what a lost connection interrupts. */
export class PostgresEngine implements Engine {
  readonly name = "postgres";
  readonly #postgres: Postgres;
  readonly #commits: PostgresCommits;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
    this.#commits = new PostgresCommits(postgres);
  }

  async commit(batch: Batch): Promise<BatchResult> {
    return this.#commits.commit(batch);
  }

  async read({
    threadId,
    namespace,
    ...range
  }: Omit<CheckpointKey, "id"> & { readonly id?: string }): Promise<{
    tuple: StoredTuple | undefined;
    epoch: string | undefined;
  }> {
    const { tuples, epoch } = await page(this.#postgres, {
      threadId,
      namespace,
      ...rangeOf(range),
      limit: 1,
    });
    return { tuple: tuples[0], epoch };
  }

  async *list({ threadId, namespace, limit = Infinity, ...range }: ListQuery): AsyncIterable<StoredTuple> {
    let left = limit;
    if (left <= 0) return;
    const isOne = threadId !== undefined && namespace !== undefined;
    const all = isOne ? [{ threadId, namespace }] : await spaces(this.#postgres, threadId, namespace);
    for (const space of all) {
      const pages = pagesOf(async (query) => page(this.#postgres, query), {
        ...space,
        ...rangeOf(range),
        limit: Math.min(left, pageSize),
      });
      for await (const tuple of pages) {
        yield tuple;
        left -= 1;
        if (left <= 0) return;
      }
    }
  }

  async *listIntact(threadId: string, onDamage: OnDamage): AsyncIterable<StoredTuple> {
    for (const space of await spaces(this.#postgres, threadId)) {
      const all = { ...space, ...rangeOf({}), limit: pageSize };
      yield* pagesOf(async (query) => page(this.#postgres, query, onDamage), all);
    }
  }

  async *early(): AsyncIterable<EarlyWrite> {
    for (const row of (await this.#postgres.query(allEarlySql)).rows) {
      const threadId = String(row["name"]);
      for (const { value } of writesIn(row, threadId)) yield { threadId, value };
    }
  }

  async blobs(threadId: string, digests: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    return blobs(this.#postgres, threadId, digests);
  }

  async threads(): Promise<readonly string[]> {
    return threadsIn(this.#postgres);
  }

  async threadsIn(range: ThreadRange): Promise<readonly string[]> {
    return threadsIn(this.#postgres, range);
  }

  /** Waits for commits in progress, and then deletes the entries, with a statement that sees those commits. */
  async deleteThread(threadId: string): Promise<void> {
    await this.#postgres.transaction(async (client) => {
      const sql = "DELETE FROM palimpsest_threads WHERE name = $1 RETURNING id";
      const { rows } = await client.query(sql, [threadId]);
      if (rows[0]) await client.query("DELETE FROM palimpsest_entries WHERE thread = $1", [rows[0]["id"]]);
    });
  }

  /** Holds the thread's lock from the first read to the end, so that no commit can add a reference to a blob that is deleted. */
  async prune(threadId: string, policy: PrunePolicy): Promise<PruneResult> {
    return this.#postgres.transaction(async (client) => prune(client, threadId, policy));
  }

  /** Holds the thread's lock, as `prune` does. */
  async rewrite(rewrite: Rewrite): Promise<void> {
    const { threadId } = rewrite;
    await this.#postgres.transaction(async (client) => {
      const thread = await locked(client, threadId);
      if (thread === undefined) return;
      await rewriteRows(client, thread, rewrite);
      await keepReached(client, { threadId, thread }, rootsOf(await allTuples(client, threadId)));
    });
  }

  /** Writes the table anew. Its lock makes others wait meanwhile. */
  async scrub(): Promise<void> {
    await this.#postgres.query("VACUUM FULL palimpsest_entries");
  }

  async sizes(): Promise<EngineSizes> {
    return postgresSizes(this.#postgres);
  }

  async close(): Promise<void> {
    await this.#postgres.close();
  }
}

/** Returns the id of a thread whose lock the transaction holds from now on; undefined if there is none. */
async function locked(client: PostgresClient, threadId: string): Promise<unknown> {
  const lock = "SELECT id FROM palimpsest_threads WHERE name = $1 FOR UPDATE";
  return (await client.query(lock, [threadId])).rows[0]?.["id"];
}

/** Deletes the blobs of a thread that its nodes do not reach, and begins a new epoch. Returns how many it deleted. */
async function keepReached(
  client: PostgresClient,
  { threadId, thread }: { readonly threadId: string; readonly thread: unknown },
  roots: readonly Node[],
): Promise<number> {
  const load = treesOf({ blobs: async (_, digests) => blobs(client, threadId, digests) }, threadId);
  const reached = await reachAll(roots, load);
  const { rowCount } = await client.query(
    `DELETE FROM palimpsest_entries AS entry WHERE thread = $1 AND kind = 'b'
     AND NOT EXISTS (SELECT FROM unnest($2::bytea[]) AS reached (id) WHERE reached.id = entry.id)`,
    [thread, [...reached.blobs].map(digestKey)],
  );
  await client.query("UPDATE palimpsest_threads SET epoch = $2 WHERE id = $1", [thread, newEpoch()]);
  return rowCount ?? 0;
}

async function prune(client: PostgresClient, threadId: string, policy: PrunePolicy): Promise<PruneResult> {
  const thread = await locked(client, threadId);
  if (thread === undefined) return { checkpoints: 0, blobs: 0 };
  const { keep, drop } = planPrune(await allTuples(client, threadId), policy);
  const early = (await client.query(earlySql, [thread])).rows.flatMap((row) => writesIn(row, threadId));
  await client.query(
    `DELETE FROM palimpsest_entries WHERE thread = $1 AND kind IN ('c', 'w')
     AND (namespace, id) IN (SELECT * FROM unnest($2::text[], $3::bytea[]))`,
    [thread, drop.map(({ namespace }) => namespace), drop.map(({ id }) => toKey(id))],
  );
  const roots = [...rootsOf(keep), ...early.map(({ value }) => value)];
  const deleted = await keepReached(client, { threadId, thread }, roots);
  return { checkpoints: drop.length, blobs: deleted };
}
