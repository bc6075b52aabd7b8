import { reach } from "../codec/gather.js";
import type { Node } from "../codec/node.js";
import type { StoredTuple } from "../engines/engine.js";

/** Returns the nodes that tuples hold: where everything they need is reached from. Pure. */
export function rootsOf(tuples: readonly StoredTuple[]): Node[] {
  return tuples.flatMap(({ checkpoint, metadata, writes }) => [
    checkpoint.channel_values,
    metadata,
    ...writes.map(({ value }) => value),
  ]);
}

/** Returns the digests that nodes reach, loading trees as they come up. */
export async function reachAll(
  nodes: readonly Node[],
  load: (digests: readonly string[]) => Promise<ReadonlyMap<string, Buffer>>,
): Promise<ReadonlySet<string>> {
  const walk = reach(nodes);
  let step = walk.next();
  while (!step.done) step = walk.next(await load(step.value));
  return step.value;
}

/** The same for engines that read without promises, so that it fits into one transaction. */
export function reachAllSync(
  nodes: readonly Node[],
  load: (digests: readonly string[]) => ReadonlyMap<string, Buffer>,
): ReadonlySet<string> {
  const walk = reach(nodes);
  let step = walk.next();
  while (!step.done) step = walk.next(load(step.value));
  return step.value;
}
