import type { PostgresRow } from "@palimpsest/sql";
import { uuidBytes, uuidFrom } from "../../codec/uuid.js";
import { CheckpointError } from "../../checkpoint-error.js";
import type { OnDamage, StoredTuple, StoredWrite } from "../../engine.js";
import { storedWrites, unpackCheckpoint } from "../packed-rows.js";
import type { TaskRow } from "../packed-rows.js";

const textMark = 0;
const uuidMark = 1;

/** The task column of a row without a task, and a key that sorts before every other. */
export const noKey = Buffer.alloc(0);

/** Sorts after every key. */
export const lastKey = Buffer.from([uuidMark + 1]);

/** Returns an id as a key: a lower-case UUID as 16 bytes, which sort as its text does, another id as text. Pure. */
export function toKey(id: string): Buffer {
  const uuid = uuidBytes(id);
  return uuid
    ? Buffer.concat([Buffer.from([uuidMark]), uuid])
    : Buffer.concat([Buffer.from([textMark]), Buffer.from(id)]);
}

/** The inverse of `toKey`. Pure. */
export function fromKey(key: Buffer): string {
  const body = key.subarray(1);
  return key[0] === uuidMark ? uuidFrom(body) : body.toString();
}

/** Returns the first key after one. Pure. */
export function keyAfter(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.alloc(1)]);
}

/** Returns the key of a blob. Pure. */
export function digestKey(digest: string): Buffer {
  return Buffer.from(digest, "base64url");
}

/** Returns the writes in the row of a task. Throws a CheckpointError "corrupt". Pure. */
export function writesIn({ namespace, id, task, data }: PostgresRow, threadId: string): StoredWrite[] {
  const row = { taskId: fromKey(task as Buffer), data: data as Buffer };
  return storedWrites([row], { threadId, namespace: String(namespace), id: fromKey(id as Buffer) });
}

/**
 * Returns the tuples of one namespace, newest first, from the rows of checkpoints (whose `task` is empty) and of their
 * tasks, in any order. With `onDamage`, reports a damaged tuple and omits it, or only its writes if only those are damaged;
 * without it, throws a CheckpointError "corrupt".
 */
export function tuplesFrom(
  rows: readonly PostgresRow[],
  { threadId, namespace }: Pick<StoredTuple, "threadId" | "namespace">,
  onDamage?: OnDamage,
): StoredTuple[] {
  const checkpoints: PostgresRow[] = [];
  const tasks = new Map<string, TaskRow[]>();
  for (const row of rows) {
    const task = row["task"] as Buffer;
    if (task.length === 0) {
      checkpoints.push(row);
      continue;
    }
    const id = fromKey(row["id"] as Buffer);
    const others = tasks.get(id) ?? [];
    tasks.set(id, [...others, { taskId: fromKey(task), data: row["data"] as Buffer }]);
  }
  checkpoints.sort((a, b) => Buffer.compare(b["id"] as Buffer, a["id"] as Buffer));
  return checkpoints.flatMap((row) => {
    const id = fromKey(row["id"] as Buffer);
    const parent = row["parent"] as Buffer | null;
    const parentId = parent ? fromKey(parent) : undefined;
    const attempt = <T>(work: () => T): T | undefined => {
      try {
        return work();
      } catch (error) {
        if (!onDamage || !CheckpointError.isInstance(error)) throw error;
        onDamage({ threadId, id, error });
        return undefined;
      }
    };
    const data = row["data"] as Buffer;
    const tuple = attempt(() => unpackCheckpoint({ threadId, namespace, id, parentId, data }));
    const writes = (): StoredWrite[] => storedWrites(tasks.get(id) ?? [], { threadId, namespace, id });
    return tuple ? { ...tuple, writes: attempt(writes) ?? [] } : [];
  });
}
