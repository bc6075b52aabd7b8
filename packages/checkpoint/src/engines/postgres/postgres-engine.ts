import type { Postgres, PostgresClient } from "@palimpsest/sql";
import { planPrune } from "../../collection/plan-prune.js";
import { reachAll, rootsOf, treesOf } from "../../collection/reach.js";
import type {
  Batch,
  BatchResult,
  CheckpointKey,
  Engine,
  ListQuery,
  OnDamage,
  PrunePolicy,
  PruneResult,
  StoredTuple,
} from "../../engine.js";
import { newEpoch, PostgresCommits } from "./postgres-commits.js";
import { digestKey, keyAfter, lastKey, noKey, toKey, tuplesFrom, writesIn } from "./postgres-rows.js";

const pageSize = 64;

/** The rows of the newest checkpoints of a namespace with ids from `$3` to before `$4`, and of their tasks. */
const pageSql = `
  SELECT target.epoch, entry.* FROM (SELECT id, epoch FROM palimpsest_threads WHERE name = $1) AS target
  LEFT JOIN LATERAL (
    WITH page AS (
      SELECT id, task, parent, data FROM palimpsest_entries
      WHERE thread = target.id AND kind = 'c' AND namespace = $2 AND id >= $3 AND id < $4 ORDER BY id DESC LIMIT $5
    ) SELECT * FROM page
    UNION ALL SELECT id, task, parent, data FROM palimpsest_entries
    WHERE thread = target.id AND kind = 'w' AND namespace = $2 AND id IN (SELECT id FROM page)
  ) AS entry ON true`;

const spacesSql = `
  SELECT DISTINCT threads.id, name, namespace FROM palimpsest_threads AS threads
  JOIN palimpsest_entries ON thread = threads.id AND kind = 'c'
  WHERE ($1::text IS NULL OR name = $1) AND ($2::text IS NULL OR namespace = $2) ORDER BY threads.id, namespace`;

const blobsSql = `
  SELECT entry.id, data FROM palimpsest_threads AS threads JOIN palimpsest_entries AS entry ON thread = threads.id
  WHERE name = $1 AND kind = 'b' AND namespace = '' AND entry.id = ANY($2::bytea[])`;

/** The writes whose checkpoint is not stored yet: if steps overlap, a task may end before its checkpoint is written. */
const earlySql = `
  SELECT namespace, id, task, data FROM palimpsest_entries AS early WHERE thread = $1 AND kind = 'w' AND NOT EXISTS (
    SELECT FROM palimpsest_entries AS entry
    WHERE entry.thread = $1 AND entry.kind = 'c' AND entry.namespace = early.namespace AND entry.id = early.id
  )`;

/** The place of a page of checkpoints. */
interface PageQuery {
  readonly threadId: string;
  readonly namespace: string;
  readonly from: Buffer;
  readonly before: Buffer;
  readonly limit: number;
}

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
    for (const space of await spaces(this.#postgres, threadId, namespace)) {
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

  async blobs(threadId: string, digests: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    return blobs(this.#postgres, threadId, digests);
  }

  async threads(): Promise<readonly string[]> {
    const { rows } = await this.#postgres.query(spacesSql, [null, null]);
    return [...new Set(rows.map((row) => String(row["name"])))];
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

  async close(): Promise<void> {
    await this.#postgres.close();
  }
}

async function prune(client: PostgresClient, threadId: string, policy: PrunePolicy): Promise<PruneResult> {
  const lock = "SELECT id FROM palimpsest_threads WHERE name = $1 FOR UPDATE";
  const thread = (await client.query(lock, [threadId])).rows[0]?.["id"];
  if (thread === undefined) return { checkpoints: 0, blobs: 0 };
  const tuples: StoredTuple[] = [];
  for (const space of await spaces(client, threadId)) {
    const all = { ...space, ...rangeOf({}), limit: pageSize };
    for await (const tuple of pagesOf(async (query) => page(client, query), all)) tuples.push(tuple);
  }
  const { keep, drop } = planPrune(tuples, policy);
  const load = treesOf({ blobs: async (_, digests) => blobs(client, threadId, digests) }, threadId);
  const early = (await client.query(earlySql, [thread])).rows.flatMap((row) => writesIn(row, threadId));
  const roots = [...rootsOf(keep), ...early.map(({ value }) => value)];
  const reached = await reachAll(roots, load);
  await client.query(
    `DELETE FROM palimpsest_entries WHERE thread = $1 AND kind IN ('c', 'w')
     AND (namespace, id) IN (SELECT * FROM unnest($2::text[], $3::bytea[]))`,
    [thread, drop.map(({ namespace }) => namespace), drop.map(({ id }) => toKey(id))],
  );
  const { rowCount } = await client.query(
    `DELETE FROM palimpsest_entries AS entry WHERE thread = $1 AND kind = 'b'
     AND NOT EXISTS (SELECT FROM unnest($2::bytea[]) AS reached (id) WHERE reached.id = entry.id)`,
    [thread, [...reached.blobs].map(digestKey)],
  );
  await client.query("UPDATE palimpsest_threads SET epoch = $2 WHERE id = $1", [thread, newEpoch()]);
  return { checkpoints: drop.length, blobs: rowCount ?? 0 };
}

interface Page {
  readonly tuples: StoredTuple[];
  readonly epoch: string | undefined;
  /** The key of the last checkpoint; undefined when no page follows. */
  readonly oldest: Buffer | undefined;
}

async function page(
  client: PostgresClient,
  { threadId, namespace, from, before, limit }: PageQuery,
  onDamage?: OnDamage,
): Promise<Page> {
  const { rows } = await client.query(pageSql, [threadId, namespace, from, before, limit]);
  const epoch = rows[0] && String(rows[0]["epoch"]);
  const entries = rows.filter(({ id }) => id !== null);
  const ids = entries.filter(({ task }) => (task as Buffer).length === 0).map((row) => row["id"] as Buffer);
  const oldest = ids.length < limit ? undefined : ids.toSorted((a, b) => Buffer.compare(a, b))[0];
  return { tuples: tuplesFrom(entries, { threadId, namespace }, onDamage), epoch, oldest };
}

/** Yields the tuples of a namespace, newest first. Reads one page at a time. */
async function* pagesOf(
  read: (query: PageQuery) => Promise<Page>,
  query: PageQuery,
): AsyncGenerator<StoredTuple> {
  for (let before: Buffer | undefined = query.before; before !== undefined;) {
    const { tuples, oldest }: Page = await read({ ...query, before });
    yield* tuples;
    before = oldest;
  }
}

async function spaces(
  client: PostgresClient,
  threadId?: string,
  namespace?: string,
): Promise<{ readonly threadId: string; readonly namespace: string }[]> {
  const { rows } = await client.query(spacesSql, [threadId ?? null, namespace ?? null]);
  return rows.map((row) => ({ threadId: String(row["name"]), namespace: String(row["namespace"]) }));
}

async function blobs(
  client: PostgresClient,
  threadId: string,
  digests: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const { rows } = await client.query(blobsSql, [threadId, digests.map(digestKey)]);
  return new Map(rows.map(({ id, data }) => [(id as Buffer).toString("base64url"), data as Buffer]));
}

function rangeOf({ id, before }: Pick<ListQuery, "id" | "before">): Pick<PageQuery, "from" | "before"> {
  const end = before === undefined ? lastKey : toKey(before);
  if (id === undefined) return { from: noKey, before: end };
  const [from, after] = [toKey(id), keyAfter(toKey(id))];
  return { from, before: Buffer.compare(after, end) < 0 ? after : end };
}
