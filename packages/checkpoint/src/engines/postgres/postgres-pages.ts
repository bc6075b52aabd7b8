import type { PostgresClient } from "@palimpsest/sql";
import { behindPrefix } from "../../collection/thread-range.js";
import type { ListQuery, OnDamage, StoredTuple, ThreadRange } from "../../engine.js";
import { digestKey, keyAfter, lastKey, noKey, toKey, tuplesFrom } from "./postgres-rows.js";

export const pageSize = 64;

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

const threadsSql = `
  SELECT name FROM palimpsest_threads AS threads
  WHERE name <> '' AND name >= $1 AND ($2::text IS NULL OR name < $2) AND ($3::text IS NULL OR name > $3)
  AND EXISTS (SELECT FROM palimpsest_entries WHERE thread = threads.id AND kind = 'c') ORDER BY name LIMIT $4`;

const blobsSql = `
  SELECT entry.id, data FROM palimpsest_threads AS threads JOIN palimpsest_entries AS entry ON thread = threads.id
  WHERE name = $1 AND kind = 'b' AND namespace = '' AND entry.id = ANY($2::bytea[])`;

/** The place of a page of checkpoints. */
interface PageQuery {
  readonly threadId: string;
  readonly namespace: string;
  readonly from: Buffer;
  readonly before: Buffer;
  readonly limit: number;
}

/** Returns every checkpoint of a thread with its writes. */
export async function allTuples(client: PostgresClient, threadId: string): Promise<StoredTuple[]> {
  const tuples: StoredTuple[] = [];
  for (const space of await spaces(client, threadId)) {
    const all = { ...space, ...rangeOf({}), limit: pageSize };
    for await (const tuple of pagesOf(async (query) => page(client, query), all)) tuples.push(tuple);
  }
  return tuples;
}

interface Page {
  readonly tuples: StoredTuple[];
  readonly epoch: string | undefined;
  /** The key of the last checkpoint; undefined when no page follows. */
  readonly oldest: Buffer | undefined;
}

export async function page(
  client: PostgresClient,
  { threadId, namespace, from, before, limit }: PageQuery,
  onDamage?: OnDamage,
): Promise<Page> {
  const { rows } = await client.prepared(pageSql, [threadId, namespace, from, before, limit]);
  const epoch = rows[0] && String(rows[0]["epoch"]);
  const entries = rows.filter(({ id }) => id !== null);
  const ids = entries.filter(({ task }) => (task as Buffer).length === 0).map((row) => row["id"] as Buffer);
  const oldest = ids.length < limit ? undefined : ids.toSorted((a, b) => Buffer.compare(a, b))[0];
  return { tuples: tuplesFrom(entries, { threadId, namespace }, onDamage), epoch, oldest };
}

/** Yields the tuples of a namespace, newest first. Reads one page at a time. */
export async function* pagesOf(
  read: (query: PageQuery) => Promise<Page>,
  query: PageQuery,
): AsyncGenerator<StoredTuple> {
  for (let before: Buffer | undefined = query.before; before !== undefined;) {
    const { tuples, oldest }: Page = await read({ ...query, before });
    yield* tuples;
    before = oldest;
  }
}

export async function spaces(
  client: PostgresClient,
  threadId?: string,
  namespace?: string,
): Promise<{ readonly threadId: string; readonly namespace: string }[]> {
  const { rows } = await client.query(spacesSql, [threadId ?? null, namespace ?? null]);
  return rows.map((row) => ({ threadId: String(row["name"]), namespace: String(row["namespace"]) }));
}

export async function blobs(
  client: PostgresClient,
  threadId: string,
  digests: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const { rows } = await client.prepared(blobsSql, [threadId, digests.map(digestKey)]);
  return new Map(rows.map(({ id, data }) => [(id as Buffer).toString("base64url"), data as Buffer]));
}

export function rangeOf({
  id,
  before,
}: Pick<ListQuery, "id" | "before">): Pick<PageQuery, "from" | "before"> {
  const end = before === undefined ? lastKey : toKey(before);
  if (id === undefined) return { from: noKey, before: end };
  const [from, after] = [toKey(id), keyAfter(toKey(id))];
  return { from, before: Buffer.compare(after, end) < 0 ? after : end };
}

/** Returns the ids of threads with a checkpoint, in order. */
export async function threadsIn(
  client: PostgresClient,
  { prefix = "", after, limit }: ThreadRange = {},
): Promise<readonly string[]> {
  const values = [prefix, behindPrefix(prefix) ?? null, after ?? null, limit ?? null];
  return (await client.query(threadsSql, values)).rows.map(({ name }) => String(name));
}
