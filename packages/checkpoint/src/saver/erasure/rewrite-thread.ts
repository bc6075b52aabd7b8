import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { Encoder, type ToText } from "../../codec/encoder.js";
import type { Node } from "../../codec/node.js";
import { pack } from "../../codec/packing/pack.js";
import type { EncodedWrite, NewCheckpoint, NewWrites, Rewrite, StoredTuple } from "../../engine.js";
import { byTask } from "../../collection/copy-checkpoints.js";

/** A stored checkpoint and its values. */
export interface ReadTuple {
  readonly stored: StoredTuple;
  readonly tuple: CheckpointTuple;
}

export interface RewriteOptions {
  /** Returns the value to store instead; the same value where nothing changes. */
  readonly value: (value: unknown) => unknown;
  readonly toText: ToText;
  readonly compress: boolean;
}

/** Returns the checkpoints and writes of a thread that a change of their values changes. What stays the same keeps its stored form. */
export function rewriteThread(
  threadId: string,
  tuples: readonly ReadTuple[],
  { value, toText, compress }: RewriteOptions,
): Rewrite {
  const encoder = new Encoder(toText);
  const changed = (stored: Readonly<Record<string, Node>>, read: Readonly<Record<string, unknown>>) => {
    let isChanged = false;
    const nodes = Object.entries(stored).map(([key, node]): [string, Node] => {
      const next = value(read[key]);
      if (next === read[key]) return [key, node];
      isChanged = true;
      return [key, encoder.encode(next)];
    });
    return isChanged ? Object.fromEntries(nodes) : undefined;
  };
  const { result, blobs } = encoder.collect(() => ({
    checkpoints: tuples.flatMap(({ stored, tuple }): readonly NewCheckpoint[] => {
      const { namespace, id, parentId, checkpoint } = stored;
      const values = changed(checkpoint.channel_values, tuple.checkpoint.channel_values);
      const metadata = changed(stored.metadata, tuple.metadata ?? {});
      if (values === undefined && metadata === undefined) return [];
      const channels = { ...checkpoint, channel_values: values ?? checkpoint.channel_values };
      const newVersions = checkpoint.channel_versions;
      const own = { checkpoint: channels, metadata: metadata ?? stored.metadata, newVersions };
      return [{ threadId, namespace, id, parentId, ...own }];
    }),
    writes: tuples.flatMap(({ stored, tuple }) => {
      const nodes = stored.writes.map(({ value: node }, at): Node => {
        const read = tuple.pendingWrites?.[at]?.[2];
        const next = value(read);
        return next === read ? node : encoder.encode(next);
      });
      return changedTasks(threadId, stored, nodes);
    }),
  }));
  const packed = new Map([...blobs].map(([digest, bytes]) => [digest, pack(bytes, { compress })]));
  return { threadId, blobs: packed, ...result };
}

/** Returns all writes of the tasks of which one has changed. */
function changedTasks(
  threadId: string,
  { namespace, id, writes }: StoredTuple,
  nodes: readonly Node[],
): readonly NewWrites[] {
  const before = new Set<Node>(writes.map(({ value }) => value));
  const isNew = ({ value }: EncodedWrite) =>
    typeof value !== "object" || value === null || !before.has(value);
  if (nodes.every((node, at) => node === writes[at]?.value)) return [];
  const changed = writes.map((write, at) => ({ ...write, value: nodes[at] ?? null }));
  return byTask(changed)
    .filter((task) => task.writes.some(isNew))
    .map((task) => ({ threadId, namespace, id, ...task }));
}
