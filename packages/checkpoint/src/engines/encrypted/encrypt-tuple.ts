import type { ContentKey } from "@palimpsest/vfs/internal";
import type { Encryption } from "../../codec/encryption/encrypt-blob.js";
import { decryptNode, encryptNode, keyIdOf } from "../../codec/encryption/encrypt-node.js";
import type { Node } from "../../codec/node.js";
import type { NewCheckpoint, NewWrites, StoredTuple } from "../../engine.js";

/** Metadata of LangGraph, and the tag of retention, that engines read: they stay in clear. */
const clearMetadata = new Set([
  "source",
  "step",
  "parents",
  "tag",
  "counters_since_delta_snapshot",
  "delta_writes_versioned",
]);

type Nodes = Readonly<Record<string, Node>>;

/** Returns a checkpoint with encrypted values. The names and versions of channels stay in clear. */
export function encryptCheckpoint(checkpoint: NewCheckpoint, how: Encryption): NewCheckpoint {
  const { channel_values: values } = checkpoint.checkpoint;
  return {
    ...checkpoint,
    checkpoint: {
      ...checkpoint.checkpoint,
      channel_values: mapNodes(values, (node) => encryptNode(node, how)),
    },
    metadata: mapNodes(checkpoint.metadata, (node, key) =>
      clearMetadata.has(key) ? node : encryptNode(node, how),
    ),
  };
}

/** Returns writes with encrypted values. */
export function encryptWrites(task: NewWrites, how: Encryption): NewWrites {
  return {
    ...task,
    writes: task.writes.map((write) => ({ ...write, value: encryptNode(write.value, how) })),
  };
}

/** Returns the ids of the keys that a tuple is encrypted with. Pure. */
export function keyIdsOf({ checkpoint, metadata, writes }: StoredTuple): ReadonlySet<string> {
  const ids = new Set<string>();
  const nodes = [
    ...Object.values(checkpoint.channel_values),
    ...Object.values(metadata),
    ...writes.map(({ value }) => value),
  ];
  for (const node of nodes) {
    const id = keyIdOf(node);
    if (id !== undefined) ids.add(id);
  }
  return ids;
}

/** The inverse of `encryptCheckpoint` and `encryptWrites`. Throws a FileError "corrupt". */
export function decryptTuple(tuple: StoredTuple, keys: ReadonlyMap<string, ContentKey>): StoredTuple {
  const decrypt = (node: Node): Node => decryptNode(node, keys);
  const { checkpoint, metadata, writes } = tuple;
  return {
    ...tuple,
    checkpoint: { ...checkpoint, channel_values: mapNodes(checkpoint.channel_values, decrypt) },
    metadata: mapNodes(metadata, decrypt),
    writes: writes.map((write) => ({ ...write, value: decrypt(write.value) })),
  };
}

function mapNodes(nodes: Nodes, map: (node: Node, key: string) => Node): Record<string, Node> {
  return Object.fromEntries(Object.entries(nodes).map(([key, node]) => [key, map(node, key)]));
}
