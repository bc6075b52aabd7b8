import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { unpack } from "../codec/pack.js";
import type {
  Batch,
  BatchResult,
  CheckpointKey,
  Engine,
  PruneResult,
  StoredTuple,
} from "../engine/engine.js";
import { planPrune } from "../engine/plan-prune.js";
import type { PrunePlan } from "../engine/plan-prune.js";
import { reachAll, rootsOf } from "../engine/reach-all.js";
import { SaverEngine } from "../wrap/saver-engine.js";
import { PostgresBlobs } from "./postgres-blobs.js";
import { retrying, transaction } from "./postgres-pool.js";
import type { Pool } from "./postgres-pool.js";

export interface PostgresEngineOptions {
  readonly pool: Pool;
  readonly saver: BaseCheckpointSaver;
  readonly close: () => Promise<void>;
}

/** Keeps checkpoints in LangGraph's PostgresSaver. What a lost connection interrupts is done again. */
export class PostgresEngine extends SaverEngine {
  readonly #pool: Pool;
  readonly #contents: PostgresBlobs;
  readonly #close: () => Promise<void>;

  constructor({ pool, saver, close }: PostgresEngineOptions) {
    const blobs = new PostgresBlobs(pool);
    super(saver, blobs);
    this.#pool = pool;
    this.#contents = blobs;
    this.#close = close;
  }

  /** Safe to repeat: all of it is inserted unless it is there. */
  override async commit(batch: Batch): Promise<BatchResult> {
    return retrying(async () => super.commit(batch));
  }

  override async read(key: Parameters<Engine["read"]>[0]): ReturnType<Engine["read"]> {
    return retrying(async () => super.read(key));
  }

  /**
   * Begins a new epoch first: from then on writers hand in everything anew. Then nothing more is added to what there was,
   * and what the kept checkpoints reach of it is taken over.
   */
  override async prune(threadId: string, keepLast: number): Promise<PruneResult> {
    if ((await this.#contents.epoch(threadId)) === undefined) return { checkpoints: 0, blobs: 0 };
    await this.#contents.nextEpoch(threadId);
    const { keep, drop } = await this.#plan(threadId, keepLast);
    await this.#deleteCheckpoints(threadId, drop);
    const reached = await reachAll(rootsOf(keep), async (digests) => {
      const packed = await this.blobs(threadId, digests);
      return new Map([...packed].map(([digest, bytes]) => [digest, unpack(bytes)]));
    });
    return { checkpoints: drop.length, blobs: await this.#contents.adopt(threadId, reached) };
  }

  override async close(): Promise<void> {
    await this.#close();
  }

  async #plan(threadId: string, keepLast: number): Promise<PrunePlan> {
    const tuples: StoredTuple[] = [];
    for await (const tuple of this.list({ threadId })) tuples.push(tuple);
    return planPrune(tuples, keepLast);
  }

  async #deleteCheckpoints(threadId: string, keys: readonly CheckpointKey[]): Promise<void> {
    const values = [threadId, keys.map(({ namespace }) => namespace), keys.map(({ id }) => id)];
    const listed = "(checkpoint_ns, checkpoint_id) IN (SELECT * FROM unnest($2::text[], $3::text[]))";
    await retrying(async () =>
      transaction(this.#pool, async (client) => {
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
}
