import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { Batch, BatchResult, CheckpointKey, Engine, ListQuery, StoredTuple } from "../engine.js";
import { SaverEngine } from "../wrapped/saver-engine.js";
import { PostgresBlobs } from "./postgres-blobs.js";
import { explainPostgres, retrying, transaction } from "./postgres-pool.js";
import type { Pool } from "./postgres-pool.js";

export interface PostgresEngineOptions {
  readonly pool: Pool;
  readonly saver: BaseCheckpointSaver;
  readonly close: () => Promise<void>;
}

/** Keeps checkpoints in LangGraph's PostgresSaver. What a lost connection interrupts is done again. */
export class PostgresEngine extends SaverEngine {
  readonly #close: () => Promise<void>;

  constructor({ pool, saver, close }: PostgresEngineOptions) {
    super({
      saver,
      blobs: new PostgresBlobs(pool),
      deleteCheckpoints: async (keys) => deleteCheckpoints(pool, keys),
    });
    this.#close = close;
  }

  /** Safe to repeat: all of it is inserted unless it is there. */
  override async commit(batch: Batch): Promise<BatchResult> {
    return retrying(async () => super.commit(batch));
  }

  override async read(key: Parameters<Engine["read"]>[0]): ReturnType<Engine["read"]> {
    return retrying(async () => super.read(key));
  }

  /** A connection that is lost after the first checkpoint fails the rest: what was given is not given again. */
  override async *list(query: ListQuery): AsyncIterable<StoredTuple> {
    let { tuples, next } = await retrying(async () => {
      const opened = super.list(query)[Symbol.asyncIterator]();
      return { tuples: opened, next: await opened.next() };
    });
    while (!next.done) {
      yield next.value;
      next = await tuples.next().catch((error: unknown) => {
        throw explainPostgres(error);
      });
    }
  }

  override async close(): Promise<void> {
    await this.#close();
  }
}

async function deleteCheckpoints(pool: Pool, keys: readonly CheckpointKey[]): Promise<void> {
  const threadId = keys[0]?.threadId;
  const values = [threadId, keys.map(({ namespace }) => namespace), keys.map(({ id }) => id)];
  const listed = "(checkpoint_ns, checkpoint_id) IN (SELECT * FROM unnest($2::text[], $3::text[]))";
  await retrying(async () =>
    transaction(pool, async (client) => {
      await client.query(`DELETE FROM checkpoint_writes WHERE thread_id = $1 AND ${listed}`, values);
      await client.query(`DELETE FROM checkpoints WHERE thread_id = $1 AND ${listed}`, values);
      await client.query(
        `DELETE FROM checkpoint_blobs AS value WHERE thread_id = $1 AND NOT EXISTS (
           SELECT 1 FROM checkpoints AS kept
           WHERE kept.thread_id = value.thread_id AND kept.checkpoint_ns = value.checkpoint_ns
           AND kept.checkpoint -> 'channel_versions' ->> value.channel = value.version
         )`,
        [threadId],
      );
    }),
  );
}
