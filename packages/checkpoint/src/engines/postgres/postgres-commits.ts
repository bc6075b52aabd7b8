import { randomInt } from "node:crypto";
import { codeOf } from "@palimpsest/sql";
import type { Postgres } from "@palimpsest/sql";
import { CheckpointError } from "../../checkpoint-error.js";
import { packedAlone } from "../../codec/packing/bundle.js";
import type { Batch, BatchResult, NewWrites } from "../../engine.js";
import { tooLarge } from "../too-large.js";
import { mergeTask, packCheckpoint, packTask, unpackTask } from "../packed-rows.js";
import { digestKey, noKey, toKey } from "./postgres-rows.js";

const maxBlobsPerStatement = 256;
const maxBytesPerStatement = 8_000_000;

/** Postgres' code for a key that is longer than an index takes, which is 2,704 bytes with all its columns. */
const keyTooLong = "54000";

/** Node's code for a text that is longer than it can have: `pg` sends bytes as text, with two digits for each. */
const textTooLong = "ERR_STRING_TOO_LONG";

const epochs = 2 ** 47;

/** Returns an epoch: random, so that a thread that was deleted and created again has another one. */
export function newEpoch(): string {
  return String(randomInt(epochs));
}

/**
 * Stores blobs and at most one row of an existing thread. The lock makes collections wait until the statement is committed.
 * Stores nothing when the thread has another epoch than `$2`. A checkpoint replaces the one with its id; existing writes of a
 * task stay.
 */
const commitSql = commitTo("thread AS (SELECT id, epoch FROM palimpsest_threads WHERE name = $1 FOR SHARE)");

/**
 * As `commitSql` does, and creates a thread that is not there, with the epoch `$11`. Finds no thread when another process has created
 * it since the statement began.
 */
const beginSql = commitTo(`
  created AS (
    INSERT INTO palimpsest_threads (name, epoch) VALUES ($1, $11) ON CONFLICT DO NOTHING RETURNING id, epoch
  ), found AS (
    SELECT id, epoch FROM palimpsest_threads WHERE name = $1 FOR SHARE
  ), thread AS (SELECT * FROM created UNION ALL SELECT * FROM found)`);

function commitTo(thread: string): string {
  return `
  WITH ${thread}, target AS (
    SELECT id FROM thread WHERE $2::bigint IS NULL OR epoch = $2::bigint
  ), blobs AS (
    INSERT INTO palimpsest_entries (thread, kind, namespace, id, task, data)
    SELECT target.id, 'b', '', blob.digest, '', blob.data
    FROM target, unnest($3::bytea[], $4::bytea[]) AS blob (digest, data) ON CONFLICT DO NOTHING
  ), entry AS (
    INSERT INTO palimpsest_entries AS stored (thread, kind, namespace, id, task, parent, data)
    SELECT target.id, $5::"char", $6, $7, $8, $9, $10 FROM target WHERE $5::"char" IS NOT NULL
    ON CONFLICT (thread, kind, namespace, id, task)
    DO UPDATE SET parent = excluded.parent, data = excluded.data WHERE stored.kind = 'c'
    RETURNING 1
  ) SELECT epoch, EXISTS (SELECT FROM entry) AS inserted FROM thread`;
}

/**
 * Replaces the writes of a task unless another process has replaced them, or collected blobs of the thread, since they were
 * read.
 */
const replaceSql = `
  WITH target AS (
    SELECT id FROM palimpsest_threads WHERE name = $1 AND epoch = $2::bigint FOR SHARE
  ) UPDATE palimpsest_entries AS stored SET data = $6 FROM target
  WHERE thread = target.id AND kind = 'w' AND namespace = $3 AND stored.id = $4 AND task = $5 AND data = $7`;

const taskSql = `
  SELECT data FROM palimpsest_threads AS target JOIN palimpsest_entries AS stored ON thread = target.id
  WHERE name = $1 AND kind = 'w' AND namespace = $2 AND stored.id = $3 AND task = $4`;

type Blobs = readonly (readonly [key: Buffer, packed: Uint8Array])[];

interface Entry {
  readonly kind: "c" | "w";
  readonly namespace: string;
  readonly id: Buffer;
  readonly task: Buffer;
  readonly parent: Buffer | null;
  readonly data: Buffer;
}

/** Writes commits to Postgres: a step's checkpoint or a task's writes take one round trip. */
export class PostgresCommits {
  readonly #postgres: Postgres;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  /**
   * Stores a batch. Many or large blobs go in statements of their own before the row that refers to them: an interruption
   * leaves unreferenced blobs, never a reference to a missing blob. Safe to repeat.
   */
  async commit(batch: Batch): Promise<BatchResult> {
    return this.#commit(batch).catch((error: unknown) => {
      if (codeOf(error) === textTooLong)
        throw tooLarge({ threadId: batch.threadId, most: "256 MB compressed", engine: "Postgres" }, error);
      throw codeOf(error) === keyTooLong ? tooLong(batch, error) : error;
    });
  }

  async #commit(batch: Batch): Promise<BatchResult> {
    const { threadId, writes } = batch;
    const parts = partsOf(batch.blobs);
    const last = parts.pop() ?? [];
    let { epoch } = batch;
    for (const blobs of parts) {
      const { stored, ...result } = await this.#insert({ threadId, epoch, blobs });
      if (!stored) return { stored, epoch: result.epoch };
      epoch = result.epoch;
    }
    const entry = entryOf(batch);
    const result = await this.#insert({ threadId, epoch, blobs: last, ...(entry ? { entry } : {}) });
    if (!result.stored || !writes || result.inserted || (await this.#merge(writes, result.epoch)))
      return { stored: result.stored, epoch: result.epoch };
    return this.#commit(batch);
  }

  async #insert({
    threadId,
    epoch,
    blobs,
    entry,
  }: {
    readonly threadId: string;
    readonly epoch: string | undefined;
    readonly blobs: Blobs;
    readonly entry?: Entry;
  }): Promise<BatchResult & { readonly inserted: boolean }> {
    const values = [
      threadId,
      epoch ?? null,
      blobs.map(([key]) => key),
      blobs.map(([, packed]) => Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)),
      ...(entry
        ? [entry.kind, entry.namespace, entry.id, entry.task, entry.parent, entry.data]
        : [null, null, null, null, null, null]),
    ];
    for (;;) {
      const { rows } = await (epoch === undefined
        ? this.#postgres.prepared(beginSql, [...values, newEpoch()])
        : this.#postgres.prepared(commitSql, values));
      const row = rows[0];
      if (row) {
        const now = String(row["epoch"]);
        return {
          stored: epoch === undefined || epoch === now,
          epoch: now,
          inserted: row["inserted"] === true,
        };
      }
      if (epoch !== undefined) return { stored: false, epoch: undefined, inserted: false };
    }
  }

  /** Adds to the stored writes of a task. Returns false when the thread changed meanwhile: the commit starts over then. */
  async #merge(added: NewWrites, epoch: string | undefined): Promise<boolean> {
    const { threadId, namespace, id, taskId, writes } = added;
    const keys = [namespace, toKey(id), toKey(taskId)];
    const row = (await this.#postgres.query(taskSql, [threadId, ...keys])).rows[0];
    if (!row) return false;
    const stored = row["data"] as Buffer;
    const merged = packTask(mergeTask(unpackTask(stored, added), writes), added);
    const { rowCount } = await this.#postgres.query(replaceSql, [threadId, epoch, ...keys, merged, stored]);
    return rowCount === 1;
  }
}

function tooLong({ threadId, checkpoint, writes }: Batch, cause: unknown): CheckpointError {
  const { namespace = "", id = "" } = checkpoint ?? writes ?? {};
  const [thread, space, key] = [threadId, namespace, id].map((name) => Buffer.byteLength(name));
  return new CheckpointError(
    "bad-option",
    `The thread_id has ${thread} bytes, the checkpoint_ns ${space} and the checkpoint_id ${key}. Postgres keeps names of about 2,600 ` +
      "bytes together. Pass a shorter thread_id, such as a digest of it.",
    { cause },
  );
}

function entryOf({ checkpoint, writes }: Batch): Entry | undefined {
  if (checkpoint) {
    const { namespace, id, parentId } = checkpoint;
    const parent = parentId === undefined ? null : toKey(parentId);
    return { kind: "c", namespace, id: toKey(id), task: noKey, parent, data: packCheckpoint(checkpoint) };
  }
  if (!writes) return undefined;
  const { namespace, id, taskId, taskPath } = writes;
  const data = packTask(mergeTask({ path: taskPath, writes: [] }, writes.writes), writes);
  return { kind: "w", namespace, id: toKey(id), task: toKey(taskId), parent: null, data };
}

/** Sorted by key, so that two commits that store the same blobs wait for each other instead of deadlocking. */
function partsOf(blobs: Batch["blobs"]): Blobs[] {
  const all = [...blobs].map(([digest, stored]) => [digestKey(digest), packedAlone(stored)] as const);
  all.sort(([a], [b]) => Buffer.compare(a, b));
  const parts: (readonly [Buffer, Uint8Array])[][] = [];
  let size = Infinity;
  for (const blob of all) {
    const part = parts.at(-1);
    if (part && part.length < maxBlobsPerStatement && size < maxBytesPerStatement) part.push(blob);
    else parts.push([blob]);
    size = (part === parts.at(-1) ? size : 0) + blob[1].length;
  }
  return parts;
}
