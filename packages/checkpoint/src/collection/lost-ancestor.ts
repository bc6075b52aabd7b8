import { CheckpointError } from "../checkpoint-error.js";
import type { StoredTuple } from "../engine.js";
import { rebuiltChannels } from "./rebuilt-channels.js";

/** Returns the delta channels of a checkpoint that only its ancestors hold. Pure. */
export function channelsOfAncestors(tuple: StoredTuple): readonly string[] {
  const rebuilt = rebuiltChannels(tuple);
  const { channel_values: values, channel_versions: versions } = tuple.checkpoint;
  const names = rebuilt === "any" ? Object.keys(versions) : rebuilt;
  return names.filter((name) => !Object.hasOwn(values, name));
}

/** Returns the error for channels that cannot be rebuilt because an ancestor is gone. Pure. */
export function lostAncestor(
  { id, threadId }: StoredTuple,
  channels: readonly string[],
  ancestor: string,
): CheckpointError {
  return new CheckpointError(
    "corrupt",
    `The checkpoint ${id} of the thread ${JSON.stringify(threadId)} cannot be read: ${channels.join(", ")} is rebuilt from its ` +
      `ancestors, and ${ancestor} is gone. Restore it from a copy. To delete old checkpoints call prune, which keeps the ancestors of the others.`,
  );
}
