import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { Encoder } from "../../codec/encoder.js";
import type { Node } from "../../codec/node.js";
import type { Stored } from "../../codec/packing/bundle.js";
import { packBlob } from "../../codec/encryption/encrypt-blob.js";
import type { NewCheckpoint, NewWrites, Rewrite, StoredTuple } from "../../engine.js";
import { byTask } from "../../collection/copy-checkpoints.js";

/** A stored checkpoint and its values. */
export interface ReadTuple {
  readonly stored: StoredTuple;
  readonly tuple: CheckpointTuple;
}

export interface RewriteOptions {
  /** Returns the value to store instead; the same value where nothing changes. */
  readonly value: (value: unknown) => unknown;
  /** An encoder that knows of no stored blob. */
  readonly encoder: Encoder;
  readonly compress: boolean;
}

/**
 * Returns the checkpoints and writes of a thread that a change of their values changes. What stays the same keeps its stored form.
 * Holds the values of a few checkpoints at a time; fastest from the oldest on, because lists grow.
 */
export async function rewriteThread(
  threadId: string,
  tuples: AsyncIterable<ReadTuple>,
  { value, encoder, compress }: RewriteOptions,
): Promise<Rewrite> {
  const blobs = new Map<string, Stored>();
  const checkpoints: NewCheckpoint[] = [];
  const writes: NewWrites[] = [];
  for await (const read of tuples) {
    const { result, blobs: added } = encoder.collect(() => ({
      checkpoint: changedCheckpoint(read, { encoder, value }),
      tasks: changedTasks(read, { encoder, value }),
    }));
    for (const [digest, bytes] of added) blobs.set(digest, packBlob(bytes, { compress }));
    if (result.checkpoint !== undefined) checkpoints.push(result.checkpoint);
    writes.push(...result.tasks);
  }
  return { threadId, blobs, checkpoints, writes };
}

interface Change extends Pick<RewriteOptions, "value"> {
  readonly encoder: Encoder;
}

function changedCheckpoint({ stored, tuple }: ReadTuple, change: Change): NewCheckpoint | undefined {
  const { threadId, namespace, id, parentId, checkpoint } = stored;
  const values = changedNodes(checkpoint.channel_values, tuple.checkpoint.channel_values, change);
  const metadata = changedNodes(stored.metadata, tuple.metadata ?? {}, change);
  if (values === undefined && metadata === undefined) return undefined;
  return {
    threadId,
    namespace,
    id,
    parentId,
    checkpoint: { ...checkpoint, channel_values: values ?? checkpoint.channel_values },
    metadata: metadata ?? stored.metadata,
    newVersions: checkpoint.channel_versions,
  };
}

/** Returns the nodes with those of changed values; undefined if none changes. */
function changedNodes(
  stored: Readonly<Record<string, Node>>,
  read: Readonly<Record<string, unknown>>,
  { encoder, value }: Change,
): Record<string, Node> | undefined {
  let isChanged = false;
  const nodes = Object.entries(stored).map(([key, node]): [string, Node] => {
    const next = value(read[key]);
    if (next === read[key]) return [key, node];
    isChanged = true;
    return [key, encoder.encode(next)];
  });
  return isChanged ? Object.fromEntries(nodes) : undefined;
}

/** Returns all writes of the tasks of which one has changed. */
function changedTasks({ stored, tuple }: ReadTuple, { encoder, value }: Change): readonly NewWrites[] {
  const { threadId, namespace, id, writes } = stored;
  const changed = new Set<string>();
  const nodes = writes.map((write, at) => {
    const read = tuple.pendingWrites?.[at]?.[2];
    const next = value(read);
    if (next === read) return write;
    changed.add(write.taskId);
    return { ...write, value: encoder.encode(next) };
  });
  return byTask(nodes)
    .filter(({ taskId }) => changed.has(taskId))
    .map((task) => ({ threadId, namespace, id, ...task }));
}
