import { isTagged, type Node } from "../codec/node.js";
import type { StoredTuple } from "../engine.js";

/** The names of channels; "any" where they are too many to be inline. */
export type RebuiltChannels = readonly string[] | "any";

/**
 * Returns the delta channels of which a checkpoint may hold no value: they are rebuilt from the writes since the nearest ancestor
 * that has one. Pure.
 */
export function rebuiltChannels({
  checkpoint,
  metadata,
}: Pick<StoredTuple, "checkpoint" | "metadata">): RebuiltChannels {
  const counters: Node | undefined = metadata["counters_since_delta_snapshot"];
  if (typeof counters !== "object" || counters === null) return [];
  if (isTagged(counters)) return "any";
  // On a branch with this mark, a channel without a version was never written.
  const isVersioned = metadata["delta_writes_versioned"] === true;
  const names = Object.keys(counters);
  return isVersioned ? names.filter((name) => Object.hasOwn(checkpoint.channel_versions, name)) : names;
}
