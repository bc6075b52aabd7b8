import type { RunnableConfig } from "@langchain/core/runnables";
import { getCheckpointId } from "@langchain/langgraph-checkpoint";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { LRUCache } from "lru-cache";
import type { Decoder } from "../codec/decoder.js";
import { despiteCollections } from "../collection/reach.js";
import type { Engine } from "../engine.js";
import { namingThread } from "./name-thread.js";
import { placeOf } from "./place-of.js";
import type { TupleReader } from "./tuple-reader.js";

/** Number of namespaces whose last checkpoint is kept, because checkpoints of a graph and of its subgraphs alternate. */
const maxNamespaces = 8;

/** Reads checkpoints one by one. Decodes only what each adds to the one read before it in its namespace. */
export class SharedReader {
  readonly #engine: Engine;
  readonly #reader: TupleReader;
  readonly #earlier = new LRUCache<string, Decoder>({ max: maxNamespaces });

  constructor(engine: Engine, reader: TupleReader) {
    this.#engine = engine;
    this.#reader = reader;
  }

  /** Reads as `getTuple` of a saver does. Successive checkpoints share message objects: do not change them. */
  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { threadId, namespace } = placeOf(config);
    const id = getCheckpointId(config);
    const key = { threadId, namespace, ...(id ? { id } : {}) };
    const place = JSON.stringify([threadId, namespace]);
    return despiteCollections(async () => {
      const { tuple } = await namingThread(threadId, async () => this.#engine.read(key));
      if (!tuple) return undefined;
      const decoder = this.#reader.decoder(threadId, undefined, this.#earlier.get(place));
      const read = await this.#reader.readWith(decoder, tuple);
      this.#earlier.set(place, decoder);
      return read;
    });
  }
}
