import { tag } from "../codec/node.js";
import { keyInThread } from "../engine.js";
import type { PrunePolicy, PruneResult, StoredTuple } from "../engine.js";
import { rebuiltChannels } from "./rebuilt-channels.js";

export interface PrunePlan {
  readonly keep: readonly StoredTuple[];
  readonly drop: readonly StoredTuple[];
}

/**
 * Decides which checkpoints of one thread to keep: those of the policy, and the ancestors from which their delta channels are
 * rebuilt. Keeps a subgraph's run (`name:task`) as long as the checkpoints it ran under. Pure.
 */
export function planPrune(tuples: readonly StoredTuple[], policy: PrunePolicy): PrunePlan {
  const keep = new Set<StoredTuple>();
  const namespaces = new Map<string, StoredTuple[]>();
  for (const tuple of tuples) {
    const own = namespaces.get(tuple.namespace);
    if (own) own.push(tuple);
    else namespaces.set(tuple.namespace, [tuple]);
  }
  const byKey = new Map(tuples.map((tuple) => [keyInThread(tuple), tuple]));
  const outerFirst = [...namespaces].sort(([a], [b]) => a.length - b.length);
  for (const [namespace, own] of outerFirst) {
    const newestFirst = [...own].sort((a, b) => (a.id < b.id ? 1 : -1));
    const candidates = namespace.includes(":")
      ? newestFirst.filter((tuple) => ranUnder(tuple, keep, byKey))
      : newestFirst;
    for (const [index, tuple] of candidates.entries())
      if (isKept(tuple, index, policy)) keepWithAncestors(tuple, keep, byKey);
  }
  return { keep: [...keep], drop: tuples.filter((tuple) => !keep.has(tuple)) };
}

/** Returns what a prune would delete. Pure. */
export function plannedPrune(tuples: readonly StoredTuple[], policy: PrunePolicy): PruneResult {
  const { drop } = planPrune(tuples, policy);
  const until = drop
    .map(({ checkpoint }) => checkpoint.ts)
    .toSorted()
    .at(-1);
  return { checkpoints: drop.length, blobs: 0, of: tuples.length, ...(until === undefined ? {} : { until }) };
}

function isKept(
  { checkpoint, metadata }: StoredTuple,
  index: number,
  { keepLast, since, tags }: PrunePolicy,
): boolean {
  return index < keepLast || (since !== undefined && checkpoint.ts >= since) || tags.has(metadata["tag"]);
}

function ranUnder(
  tuple: StoredTuple,
  keep: ReadonlySet<StoredTuple>,
  byKey: ReadonlyMap<string, StoredTuple>,
): boolean {
  const parents = tuple.metadata["parents"];
  // The parents of a deeply nested run are too long to be inline: keep what may belong to a kept checkpoint.
  if (typeof parents !== "object" || parents === null || Object.hasOwn(parents, tag)) return true;
  return Object.entries(parents as Record<string, string>).every(([namespace, id]) => {
    const parent = byKey.get(keyInThread({ namespace, id }));
    return parent === undefined ? namespace === tuple.namespace : keep.has(parent);
  });
}

/** A delta channel has no value in most checkpoints: it is rebuilt from the writes since the nearest ancestor with a value. */
function keepWithAncestors(
  tuple: StoredTuple,
  keep: Set<StoredTuple>,
  byKey: ReadonlyMap<string, StoredTuple>,
): void {
  keep.add(tuple);
  const rebuilt = rebuiltChannels(tuple);
  // Of unknown channels none is found, so the ancestors stay up to the first.
  const open = new Set(rebuilt === "any" ? [tag] : rebuilt);
  let current = tuple;
  for (;;) {
    for (const channel of Object.keys(current.checkpoint.channel_values)) open.delete(channel);
    const parent =
      current.parentId === undefined
        ? undefined
        : byKey.get(keyInThread({ namespace: current.namespace, id: current.parentId }));
    if (open.size === 0 || !parent) return;
    keep.add(parent);
    current = parent;
  }
}
