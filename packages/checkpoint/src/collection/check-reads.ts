import { CheckpointError } from "../checkpoint-error.js";
import type { CheckpointKey, Engine, OnDamage } from "../engine.js";
import { isDamage } from "./readable-blobs.js";

/**
 * Reads the checkpoints of a thread as its users do: all in a list, the newest of each namespace, and each by its id. Reports
 * what fails, and every intact checkpoint that such a read does not find: a damaged index loses rows that are whole.
 */
export async function checkReads(engine: Engine, threadId: string, onDamage: OnDamage): Promise<void> {
  const intact: CheckpointKey[] = [];
  // `checkThread` reports the others.
  for await (const { namespace, id } of engine.listIntact(threadId, () => undefined))
    intact.push({ threadId, namespace, id });
  const attempt = async <T>(read: () => Promise<T>, id?: string): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (!isDamage(error)) throw error;
      onDamage({ threadId, ...(id === undefined ? {} : { id }), error });
      return undefined;
    }
  };
  const missed = (id: string, how: string): void =>
    onDamage({ threadId, id, error: new CheckpointError("corrupt", notFound(threadId, id, how)) });

  const listed = await attempt(async () => {
    const keys = new Set<string>();
    for await (const tuple of engine.list({ threadId })) keys.add(keyOf(tuple));
    return keys;
  });
  for (const key of intact) if (listed && !listed.has(keyOf(key))) missed(key.id, "the list of checkpoints");

  const newest = new Map<string, string>();
  for (const { namespace, id } of intact) if (id > (newest.get(namespace) ?? "")) newest.set(namespace, id);
  for (const [namespace, id] of newest) {
    const read = await attempt(async () => engine.read({ threadId, namespace }));
    if (read && (read.tuple?.id ?? "") < id) missed(id, "a read of the newest checkpoint");
  }
  for (const key of intact) {
    const read = await attempt(async () => engine.read(key), key.id);
    if (read && !read.tuple) missed(key.id, "a read by its id");
  }
}

function notFound(threadId: string, id: string, how: string): string {
  return `The checkpoint ${id} of the thread ${JSON.stringify(threadId)} is whole, and ${how} does not find it: an index is damaged. Run "palimpsest verify --repair".`;
}

function keyOf({ namespace, id }: Pick<CheckpointKey, "namespace" | "id">): string {
  return JSON.stringify([namespace, id]);
}
