import { Overwrite } from "@langchain/langgraph";
import { maxChannelVersion, uuid6, type CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { compactionValue, type CompactionState } from "@palimpsest/langgraph";
import type { ThreadConfig, ThreadGraph } from "@palimpsest/langgraph/threads";
import { InspectorError } from "../inspector-error.js";

/** The checkpoints of a database, as the functions that read and update threads see them. */
export interface ForkGraph extends ThreadGraph {
  /** Id of the checkpoint that the last update has written. */
  readonly written: string | undefined;
}

/**
 * Returns a graph whose updates are new checkpoints. As with `updateState` of LangGraph, the parent is the checkpoint that the
 * config names, which stays as it is. The fork continues with the nodes that its parent would continue with: no node ran.
 */
export function forkGraph(saver: VfsSaver): ForkGraph {
  let written: string | undefined;
  return {
    get written() {
      return written;
    },
    async getState(config) {
      return { values: (await tupleOf(saver, config)).checkpoint.channel_values };
    },
    async updateState(config, update) {
      const tuple = await tupleOf(saver, config);
      const step = (tuple.metadata?.step ?? -1) + 1;
      const changes = changesOf(tuple, update);
      const versions = nextVersions(saver, tuple, Object.keys(changes));
      const { checkpoint } = tuple;
      const fork = {
        ...checkpoint,
        id: uuid6(step),
        ts: new Date().toISOString(),
        channel_values: { ...checkpoint.channel_values, ...changes },
        channel_versions: { ...checkpoint.channel_versions, ...versions },
      };
      const metadata = { source: "fork" as const, step, parents: tuple.metadata?.parents ?? {} };
      await saver.put(tuple.config, fork, metadata, versions);
      written = fork.id;
    },
  };
}

async function tupleOf(saver: VfsSaver, config: ThreadConfig): Promise<CheckpointTuple> {
  const tuple = await saver.getTuple(config);
  if (tuple === undefined)
    throw new InspectorError(`The thread has no checkpoint ${String(config.configurable["checkpoint_id"])}.`);
  const { counters_since_delta_snapshot: counters = {} } = (tuple.metadata ?? {}) as {
    readonly counters_since_delta_snapshot?: object;
  };
  const [delta] = Object.keys(counters);
  if (delta === undefined) return tuple;
  throw new InspectorError(
    `The channel ${delta} is a delta channel, which only its graph can rebuild. Fork the thread with graph.updateState.`,
  );
}

/** Returns the new values of channels. Those that the graph does not have are left out, as LangGraph does. */
function changesOf(
  { checkpoint: { channel_values: values, channel_versions: versions } }: CheckpointTuple,
  update: object,
): Readonly<Record<string, unknown>> {
  const changes = Object.entries(update).filter(([channel]) => channel in versions);
  return Object.fromEntries(
    changes.map(([channel, value]): [string, unknown] => {
      if (channel === "compaction")
        return [
          channel,
          compactionValue.reducer(values[channel] as CompactionState, value as CompactionState),
        ];
      return [channel, value instanceof Overwrite ? value.value : value];
    }),
  );
}

function nextVersions(
  saver: VfsSaver,
  { checkpoint }: CheckpointTuple,
  channels: readonly string[],
): Record<string, number | string> {
  const known = Object.values(checkpoint.channel_versions);
  const newest = known.length === 0 ? undefined : maxChannelVersion(...known);
  const next = saver.getNextVersion(newest as number | undefined);
  return Object.fromEntries(channels.map((channel) => [channel, next]));
}
