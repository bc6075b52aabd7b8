import { CheckpointError } from "../checkpoint-error.js";
import { isEarlier } from "../codec/uuid.js";
import { keyInThread } from "../engine.js";
import type { CheckpointKey, Engine, OnDamage, StoredTuple } from "../engine.js";
import { channelsOfAncestors, lostAncestor } from "./lost-ancestor.js";
import { isDamage } from "./readable-blobs.js";

/**
 * Reads the checkpoints of a thread as its users do: all in a list, the newest of each namespace, and each by its id. Reports
 * what fails, and every intact checkpoint that such a read does not find: a damaged index loses rows that are whole. Reports too where
 * an ancestor is gone that a delta channel is rebuilt from.
 */
export async function checkReads(engine: Engine, threadId: string, onDamage: OnDamage): Promise<void> {
  const intact: CheckpointKey[] = [];
  // `checkThread` reports the others.
  for await (const { namespace, id } of engine.listIntact(threadId, () => undefined))
    intact.push({ threadId, namespace, id });
  const check = new ReadCheck(engine, threadId, onDamage);
  await check.list(intact);
  await check.newest(intact);
  await check.each(intact);
}

class ReadCheck {
  readonly #engine: Engine;
  readonly #threadId: string;
  readonly #onDamage: OnDamage;

  constructor(engine: Engine, threadId: string, onDamage: OnDamage) {
    this.#engine = engine;
    this.#threadId = threadId;
    this.#onDamage = onDamage;
  }

  async list(intact: readonly CheckpointKey[]): Promise<void> {
    const listed = await this.#attempt(async () => {
      const keys = new Set<string>();
      const rebuilt: StoredTuple[] = [];
      for await (const tuple of this.#engine.list({ threadId: this.#threadId })) {
        keys.add(keyInThread(tuple));
        if (channelsOfAncestors(tuple).length > 0) rebuilt.push({ ...tuple, writes: [] });
      }
      this.#checkAncestors(rebuilt, keys);
      return keys;
    });
    const missed = listed === undefined ? [] : intact.filter((key) => !listed.has(keyInThread(key)));
    for (const { id } of missed) this.#missed(id, "the list of checkpoints");
  }

  async newest(intact: readonly CheckpointKey[]): Promise<void> {
    const newest = new Map<string, string>();
    for (const { namespace, id } of intact)
      if (isEarlier(newest.get(namespace) ?? "", id)) newest.set(namespace, id);
    for (const [namespace, id] of newest) {
      const read = await this.#attempt(async () =>
        this.#engine.read({ threadId: this.#threadId, namespace }),
      );
      if (read && isBehind(read.tuple?.id ?? "", id)) this.#missed(id, "a read of the newest checkpoint");
    }
  }

  async each(intact: readonly CheckpointKey[]): Promise<void> {
    for (const key of intact) {
      const read = await this.#attempt(async () => this.#engine.read(key), key.id);
      if (read && !read.tuple) this.#missed(key.id, "a read by its id");
    }
  }

  async #attempt<T>(read: () => Promise<T>, id?: string): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#onDamage({ threadId: this.#threadId, ...(id === undefined ? {} : { id }), error });
      return undefined;
    }
  }

  /** Reports each checkpoint whose parent is gone although channels are rebuilt from it. */
  #checkAncestors(rebuilt: readonly StoredTuple[], keys: ReadonlySet<string>): void {
    for (const tuple of rebuilt) {
      const { threadId, namespace, id, parentId } = tuple;
      if (parentId === undefined || keys.has(keyInThread({ namespace, id: parentId }))) continue;
      this.#onDamage({ threadId, id, error: lostAncestor(tuple, channelsOfAncestors(tuple), parentId) });
    }
  }

  #missed(id: string, how: string): void {
    const threadId = this.#threadId;
    const error = new CheckpointError("corrupt", notFound(threadId, id, how));
    this.#onDamage({ threadId, id, error });
  }
}

/** True for an id that is older in every order: a saver that is wrapped may sort ids that are no UUIDs behind those that are. */
function isBehind(found: string, id: string): boolean {
  return found < id && isEarlier(found, id);
}

function notFound(threadId: string, id: string, how: string): string {
  return `The checkpoint ${id} of the thread ${JSON.stringify(threadId)} is whole, and ${how} does not find it: an index is damaged. Run "palimpsest verify --repair".`;
}
