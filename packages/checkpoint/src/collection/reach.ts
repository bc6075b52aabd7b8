import { walk } from "../codec/gather.js";
import type { Reached } from "../codec/gather.js";
import { fileDigest, isForeign } from "../codec/node.js";
import type { Node } from "../codec/node.js";
import { CheckpointError } from "../checkpoint-error.js";
import type { Engine, StoredTuple } from "../engine.js";
import { loadBlobs } from "./load-blobs.js";

/** Loads blobs by digest, unpacked. Throws when one is missing or damaged, because its references would count as unreachable. */
type LoadTrees = (digests: readonly string[]) => Promise<ReadonlyMap<string, Buffer>>;

/** Returns the nodes of tuples: everything that the tuples need is reachable from them. Pure. */
export function rootsOf(tuples: readonly StoredTuple[]): Node[] {
  return tuples.flatMap(({ checkpoint, metadata, writes }) => [
    checkpoint.channel_values,
    metadata,
    ...writes.map(({ value }) => value),
  ]);
}

/** Returns everything that is reachable from nodes. Loads trees level by level. */
export async function reachAll(nodes: readonly Node[], load: LoadTrees): Promise<Reached> {
  const steps = walk(nodes);
  let step = steps.next();
  while (!step.done) step = steps.next(await load(step.value));
  return step.value;
}

/** The synchronous form of `reachAll`, for an engine whose transaction must not wait for a promise. */
export function reachAllSync(
  nodes: readonly Node[],
  load: (digests: readonly string[]) => ReadonlyMap<string, Buffer>,
): Reached {
  const steps = walk(nodes);
  let step = steps.next();
  while (!step.done) step = steps.next(load(step.value));
  return step.value;
}

/** Returns a function that loads trees of a thread from an engine. */
export function treesOf(engine: Pick<Engine, "blobs" | "open">, threadId: string): LoadTrees {
  return async (digests) => {
    const unpacked = await loadBlobs(engine, threadId, digests);
    return new Map(unpacked.map(({ bytes }, index) => [digests[index] ?? "", bytes]));
  };
}

const attempts = 3;

/** Runs `work` again if a concurrent collection has deleted a value, with its checkpoint, that it was about to read. */
export async function despiteCollections<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isMissing = CheckpointError.isInstance(error) && error.code === "missing-blob";
      if (!isMissing || attempt === attempts) throw error;
    }
  }
}

/** Returns every checkpoint of a thread with its writes, newest first in each namespace. */
export async function tuplesOf(engine: Pick<Engine, "list">, threadId: string): Promise<StoredTuple[]> {
  const tuples: StoredTuple[] = [];
  for await (const tuple of engine.list({ threadId })) tuples.push(tuple);
  return tuples;
}

/** Returns the digests of the workspace files that a thread's checkpoints and pending writes reference. */
export async function filesInCheckpoints(engine: Engine, threadId: string): Promise<ReadonlySet<string>> {
  return despiteCollections(async () => {
    const roots = rootsOf(await tuplesOf(engine, threadId));
    const { files } = await reachAll(roots, treesOf(engine, threadId));
    return new Set([...files, ...roots.flatMap((node) => [...foreignFiles(node)])]);
  });
}

/** Values that another saver stored before it was wrapped are inline in the checkpoint, below its channels. */
function* foreignFiles(node: unknown, isInside = false): Generator<string> {
  if (typeof node !== "object" || node === null) return;
  const inside = isInside || isForeign(node as Node);
  const digest = inside ? fileDigest(node) : undefined;
  if (digest !== undefined) yield digest;
  const prototype: unknown = Object.getPrototypeOf(node);
  if (prototype !== Object.prototype && prototype !== Array.prototype) return;
  for (const part of Object.values(node)) yield* foreignFiles(part, inside);
}
