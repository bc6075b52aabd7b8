import type { PostgresClient } from "@palimpsest/sql";
import type { Passage } from "../../passage.js";
import { digestOf, idsPerThread } from "../passage-store.js";
import type { FilePassages } from "../passage-store.js";
import { bytes, wordVector } from "./postgres-rows.js";

interface Thread {
  readonly no: number;
  /** Number of passages it ever had: the offset of its last id. */
  readonly last: number;
}

/** Adds the new passages of one thread. Runs inside a transaction. */
export async function insertPassages(
  client: PostgresClient,
  name: string,
  passages: readonly Passage[],
): Promise<void> {
  await insertInto(client, await lockThread(client, name), passages);
}

/** Adds all passages of each new file of one thread, and none of an indexed file. Runs inside a transaction. */
export async function insertFiles(
  client: PostgresClient,
  name: string,
  files: readonly FilePassages[],
): Promise<void> {
  const thread = await lockThread(client, name);
  const digests = new Map(files.map((file) => [digestOf(file.path), file]));
  const { rows } = await client.query(
    `INSERT INTO palimpsest_recall_sources (thread, file) SELECT $1::bigint, unnest($2::text[])
      ON CONFLICT DO NOTHING RETURNING file`,
    [thread.no, [...digests.keys()]],
  );
  const isNew = new Set(rows.map(({ file }) => String(file)));
  const passages = [...digests].flatMap(([digest, file]) => (isNew.has(digest) ? file.passages : []));
  await insertInto(client, thread, passages);
}

/** Creates the thread if it is missing, and locks it until the transaction ends. */
async function lockThread(client: PostgresClient, name: string): Promise<Thread> {
  const { rows } = await client.query(
    `INSERT INTO palimpsest_recall_threads (name) VALUES ($1)
      ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING no, last`,
    [name],
  );
  return { no: Number(rows[0]?.["no"]), last: Number(rows[0]?.["last"]) };
}

async function insertInto(
  client: PostgresClient,
  { no, last }: Thread,
  passages: readonly Passage[],
): Promise<void> {
  const fresh = new Map(passages.map((passage) => [identityOf(no, passage), passage]));
  const sql = "SELECT identity FROM palimpsest_recall_passages WHERE identity = ANY($1)";
  const { rows } = await client.query(sql, [[...fresh.keys()]]);
  for (const { identity } of rows) fresh.delete(String(identity));
  if (fresh.size === 0) return;
  const all = [...fresh.values()];
  const vectors = all.map(({ text }) => wordVector(no, text));
  await client.query(insertion, [
    all.map((_, at) => no * idsPerThread + last + at + 1),
    [...fresh.keys()],
    all.map(({ path }) => bytes(path)),
    all.map(({ line }) => line),
    all.map(({ kind = "" }) => bytes(kind)),
    all.map(({ step }) => step ?? null),
    all.map(({ text }) => digestOf(text)),
    all.map(({ text }) => bytes(text)),
    vectors.map(({ size }) => size),
    vectors.map(({ vector }) => vector),
    no,
  ]);
}

const insertion = `
  WITH given AS (
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::bigint[], $5::bytea[], $6::float8[], $7::text[],
      $8::bytea[], $9::int[], $10::text[]) AS given(id, identity, path, line, kind, step, digest, text, size, words)
  ), passages AS (
    INSERT INTO palimpsest_recall_passages (id, identity, path, line, kind, step, digest, text)
    SELECT id, identity, path, line, kind, step, digest, text FROM given
  ), words AS (
    INSERT INTO palimpsest_recall_words (id, size, words) SELECT id, size, words::tsvector FROM given
  )
  UPDATE palimpsest_recall_threads AS thread SET last = thread.last + added.passages,
    passages = thread.passages + added.passages, words = thread.words + added.words
  FROM (SELECT count(*) AS passages, sum(size) AS words FROM given) AS added WHERE no = $11`;

/** Returns the identity of a passage: two passages with the same identity are one. Pure. */
function identityOf(no: number, { path, line, text }: Passage): string {
  return digestOf(JSON.stringify([no, path, line, digestOf(text)]));
}
