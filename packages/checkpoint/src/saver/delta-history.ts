import type { RunnableConfig } from "@langchain/core/runnables";
import { getCheckpointId } from "@langchain/langgraph-checkpoint";
import type { CheckpointPendingWrite, DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import { CheckpointError } from "../checkpoint-error.js";
import type { Node } from "../codec/node.js";
import { channelsOfAncestors, lostAncestor } from "../collection/lost-ancestor.js";
import { despiteCollections } from "../collection/reach.js";
import type { Engine, StoredTuple, StoredWrite } from "../engine.js";
import { placeOf } from "./place-of.js";
import type { TupleReader } from "./tuple-reader.js";

interface Collected {
  /** Newest first. */
  readonly writes: StoredWrite[];
  seed?: Node;
}

/** Where a walk ended. */
interface End {
  /** The channels of which no value was found. */
  readonly open: ReadonlySet<string>;
  /** The parent of the last checkpoint that was found. */
  readonly parentId: string | undefined;
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
  return despiteCollections(async () => historyOf(engine, reader, { config, channels }));
}

async function historyOf(
  engine: Engine,
  reader: TupleReader,
  { config, channels }: DeltaHistoryOptions,
): Promise<Record<string, DeltaChannelHistory>> {
  const { threadId, namespace } = placeOf(config);
  const collected = new Map(channels.map((channel): [string, Collected] => [channel, { writes: [] }]));
  const open = new Set(channels);
  const id = getCheckpointId(config);
  const target = (await engine.read({ threadId, namespace, ...(id ? { id } : {}) })).tuple;
  if (target) {
    let last = target;
    for await (const tuple of ancestors(engine, target)) {
      collect(tuple, open, collected);
      last = tuple;
      if (open.size === 0) break;
    }
    await requireAncestor(engine, target, { open, parentId: last.parentId });
  }
  return decodeHistory(threadId, reader, collected);
}

/**
 * Yields the ancestors of a checkpoint, nearest first. Lists the namespace backwards, which an engine reads in pages: parents
 * are most often neighbours. Reads a parent by its id when the list has passed it.
 */
async function* ancestors(
  engine: Engine,
  { threadId, namespace, id, parentId }: StoredTuple,
): AsyncGenerator<StoredTuple> {
  const older = engine.list({ threadId, namespace, before: id })[Symbol.asyncIterator]();
  try {
    let next = await older.next();
    for (let wanted = parentId; wanted !== undefined;) {
      while (!next.done && next.value.id > wanted) next = await older.next();
      const isNext = !next.done && next.value.id === wanted;
      const tuple = isNext ? next.value : (await engine.read({ threadId, namespace, id: wanted })).tuple;
      if (!tuple) return;
      yield tuple;
      wanted = tuple.parentId;
    }
  } finally {
    await older.return?.();
  }
}

/** Throws if the walk ended at a parent that is gone, before a value of a channel that was written since. */
async function requireAncestor(engine: Engine, target: StoredTuple, { open, parentId }: End): Promise<void> {
  const lost = channelsOfAncestors(target).filter((channel) => open.has(channel));
  if (lost.length === 0 || parentId === undefined) return;
  if ((await engine.read(target)).tuple) throw lostAncestor(target, lost, parentId);
  const place = `${target.id} of the thread ${JSON.stringify(target.threadId)}`;
  throw new CheckpointError(
    "not-found",
    `The checkpoint ${place} was pruned while it was read. Read a newer one.`,
  );
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
