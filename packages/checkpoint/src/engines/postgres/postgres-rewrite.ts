import type { PostgresClient } from "@palimpsest/sql";
import { packedAlone } from "../../codec/packing/bundle.js";
import type { NewWrites, Rewrite } from "../../engine.js";
import { mergeTask, packCheckpoint, packTask } from "../packed-rows.js";
import { digestKey, noKey, toKey } from "./postgres-rows.js";

const blobSql = `
  INSERT INTO palimpsest_entries (thread, kind, namespace, id, task, data)
  VALUES ($1, 'b', '', $2, '', $3) ON CONFLICT DO NOTHING`;

const rowSql = `
  UPDATE palimpsest_entries SET data = $6
  WHERE thread = $1 AND kind = $2::"char" AND namespace = $3 AND id = $4 AND task = $5`;

const earlySql = `
  DELETE FROM palimpsest_entries AS early WHERE thread = $1 AND kind = 'w' AND NOT EXISTS (
    SELECT FROM palimpsest_entries AS entry
    WHERE entry.thread = $1 AND entry.kind = 'c' AND entry.namespace = early.namespace AND entry.id = early.id
  )`;

/** Puts checkpoints and writes in the place of the stored ones, in a transaction that holds the lock of the thread. */
export async function rewriteRows(
  client: PostgresClient,
  thread: unknown,
  { blobs, checkpoints, writes }: Rewrite,
): Promise<void> {
  for (const [digest, stored] of blobs)
    await client.query(blobSql, [thread, digestKey(digest), Buffer.from(packedAlone(stored))]);
  for (const checkpoint of checkpoints) {
    const { namespace, id } = checkpoint;
    await client.query(rowSql, [thread, "c", namespace, toKey(id), noKey, packCheckpoint(checkpoint)]);
  }
  for (const { namespace, id, taskId, ...task } of writes) {
    const data = packed({ namespace, id, taskId, ...task });
    await client.query(rowSql, [thread, "w", namespace, toKey(id), toKey(taskId), data]);
  }
  await client.query(earlySql, [thread]);
}

function packed({ taskPath, writes, ...key }: NewWrites): Buffer {
  return packTask(mergeTask({ path: taskPath, writes: [] }, writes), key);
}
