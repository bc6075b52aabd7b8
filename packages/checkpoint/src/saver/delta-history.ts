import type { RunnableConfig } from "@langchain/core/runnables";
import { getCheckpointId } from "@langchain/langgraph-checkpoint";
import type { CheckpointPendingWrite, DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import type { Node } from "../codec/node.js";
import type { Engine, StoredTuple, StoredWrite } from "../engine.js";
import { placeOf } from "./place-of.js";
import type { TupleReader } from "./tuple-reader.js";

interface Collected {
  /** Newest first. */
  readonly writes: StoredWrite[];
  seed?: Node;
}

export interface DeltaHistoryOptions {
  readonly config: RunnableConfig;
  readonly channels: readonly string[];
}

/**
 * Returns for each channel the value of the nearest ancestor that has one, and the writes since. Walks the parents once and
 * decodes only these channels.
 */
export async function deltaHistory(
  engine: Engine,
  reader: TupleReader,
  { config, channels }: DeltaHistoryOptions,
): Promise<Record<string, DeltaChannelHistory>> {
  if (channels.length === 0) return {};
  const { threadId, namespace } = placeOf(config);
  const collected = new Map(channels.map((channel): [string, Collected] => [channel, { writes: [] }]));
  const open = new Set(channels);
  const id = getCheckpointId(config);
  const target = (await engine.read({ threadId, namespace, ...(id ? { id } : {}) })).tuple;
  for (let parentId = target?.parentId; parentId !== undefined && open.size > 0;) {
    const { tuple } = await engine.read({ threadId, namespace, id: parentId });
    if (!tuple) break;
    collect(tuple, open, collected);
    parentId = tuple.parentId;
  }
  return decodeHistory(threadId, reader, collected);
}

function collect(
  { checkpoint, writes }: StoredTuple,
  open: Set<string>,
  collected: ReadonlyMap<string, Collected>,
): void {
  for (const write of writes.toReversed()) {
    if (open.has(write.channel)) collected.get(write.channel)?.writes.push(write);
  }
  for (const channel of new Set(open)) {
    const seed = Object.hasOwn(checkpoint.channel_values, channel)
      ? checkpoint.channel_values[channel]
      : undefined;
    const entry = collected.get(channel);
    if (seed === undefined || !entry) continue;
    entry.seed = seed;
    open.delete(channel);
  }
}

async function decodeHistory(
  threadId: string,
  reader: TupleReader,
  collected: ReadonlyMap<string, Collected>,
): Promise<Record<string, DeltaChannelHistory>> {
  const decoder = reader.decoder(threadId);
  await decoder.load(
    [...collected.values()].flatMap(({ writes, seed }) => [
      ...writes.map(({ value }) => value),
      ...(seed === undefined ? [] : [seed]),
    ]),
  );
  const histories = [...collected].map(([channel, { writes, seed }]): [string, DeltaChannelHistory] => {
    const oldestFirst = writes
      .toReversed()
      .map(({ taskId, channel, value }): CheckpointPendingWrite => [taskId, channel, decoder.build(value)]);
    return [channel, { writes: oldestFirst, ...(seed === undefined ? {} : { seed: decoder.build(seed) }) }];
  });
  return Object.fromEntries(histories);
}
