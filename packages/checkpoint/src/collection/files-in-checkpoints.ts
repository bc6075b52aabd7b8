import { fileDigest } from "../codec/file-digest.js";
import { walk } from "../codec/gather.js";
import type { Node } from "../codec/node.js";
import { unpackAll } from "../codec/packing/unpack-all.js";
import type { Engine, StoredTuple } from "../engines/engine.js";
import { rootsOf } from "./reach-all.js";
import { isForeign } from "../engines/wrapped/node-text.js";

/** Returns the contents of workspace files that a thread's checkpoints and writes refer to, as digests. */
export async function filesInCheckpoints(engine: Engine, threadId: string): Promise<ReadonlySet<string>> {
  const tuples: StoredTuple[] = [];
  for await (const tuple of engine.list({ threadId })) tuples.push(tuple);
  const roots = rootsOf(tuples);
  const steps = walk(roots);
  let step = steps.next();
  while (!step.done) {
    const packed = await engine.blobs(threadId, step.value);
    const unpacked = await unpackAll([...packed.values()]);
    step = steps.next(
      new Map([...packed.keys()].map((digest, index) => [digest, unpacked[index]?.bytes ?? Buffer.alloc(0)])),
    );
  }
  const { files } = step.value;
  return new Set([...files, ...roots.flatMap((node) => [...foreignFiles(node)])]);
}

/** What another saver stored before it was wrapped stands in a checkpoint as it is, below the channels. */
function* foreignFiles(node: unknown, isInside = false): Generator<string> {
  if (typeof node !== "object" || node === null) return;
  const inside = isInside || isForeign(node as Node);
  const digest = inside ? fileDigest(node) : undefined;
  if (digest !== undefined) yield digest;
  const prototype: unknown = Object.getPrototypeOf(node);
  if (prototype !== Object.prototype && prototype !== Array.prototype) return;
  for (const part of Object.values(node)) yield* foreignFiles(part, inside);
}
