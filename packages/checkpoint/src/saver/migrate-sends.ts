import { TASKS, maxChannelVersion } from "@langchain/langgraph-checkpoint";
import type { Engine, StoredTuple } from "../engines/engine.js";
import { nextVersion } from "./next-version.js";

const sendsInChannel = 4;

/** Returns a checkpoint of an older format with the sends of its parent's tasks where newer ones have them: in a channel. */
export async function migrateSends(engine: Engine, tuple: StoredTuple): Promise<StoredTuple> {
  const { checkpoint, threadId, namespace, parentId } = tuple;
  if (checkpoint.v >= sendsInChannel || parentId === undefined) return tuple;
  const parent = (await engine.read({ threadId, namespace, id: parentId })).tuple;
  const sends = (parent?.writes ?? []).filter(({ channel }) => channel === TASKS).map(({ value }) => value);
  const versions = Object.values(checkpoint.channel_versions);
  const version = versions.length > 0 ? maxChannelVersion(...versions) : nextVersion(undefined);
  return {
    ...tuple,
    checkpoint: {
      ...checkpoint,
      channel_values: { ...checkpoint.channel_values, [TASKS]: sends },
      channel_versions: { ...checkpoint.channel_versions, [TASKS]: version },
    },
  };
}
