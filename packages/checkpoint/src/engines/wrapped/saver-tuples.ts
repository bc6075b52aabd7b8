import type { RunnableConfig } from "@langchain/core/runnables";
import { compareWritesSortKeys } from "@langchain/langgraph-checkpoint";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { tag } from "../../codec/node.js";
import type { Node } from "../../codec/node.js";
import type { StoredTuple } from "../../engine.js";

const valuePrefix = "pmps1:";
const writePrefix = "pmps1w:";

/** A task's write, with the task path that most savers do not keep. */
export interface WriteText {
  readonly taskPath: string;
  readonly value: Node;
}

/** Returns a node as text: every serializer returns text unchanged. Pure. */
export function toText(node: Node): string {
  return valuePrefix + JSON.stringify(node);
}

/** Returns the node of a text. A value that the saver stored before it was wrapped becomes a node that contains it. Pure. */
export function fromText(stored: unknown): Node {
  if (typeof stored === "string" && stored.startsWith(valuePrefix))
    return JSON.parse(stored.slice(valuePrefix.length));
  return { [tag]: "V", v: stored as Node };
}

/** Returns a write and the path of its task as text. Pure. */
export function toWriteText({ taskPath, value }: WriteText): string {
  return writePrefix + JSON.stringify([taskPath, value]);
}

/** The inverse of `toWriteText`. A write from before the saver was wrapped has no path. Pure. */
export function fromWriteText(stored: unknown): WriteText {
  if (typeof stored !== "string" || !stored.startsWith(writePrefix))
    return { taskPath: "", value: fromText(stored) };
  const [taskPath, value]: [string, Node] = JSON.parse(stored.slice(writePrefix.length));
  return { taskPath, value };
}

interface Place {
  readonly threadId: string | undefined;
  readonly namespace: string | undefined;
  readonly id: string | undefined;
}

/** Returns the config that points a saver to a place. Pure. */
export function configOf({ threadId, namespace, id }: Place): RunnableConfig {
  return {
    configurable: {
      ...(threadId === undefined ? {} : { thread_id: threadId }),
      ...(namespace === undefined ? {} : { checkpoint_ns: namespace }),
      ...(id === undefined ? {} : { checkpoint_id: id }),
    },
  };
}

/** Returns a saver's tuple with its texts parsed into nodes. Pure. */
export function storedTuple({
  config,
  checkpoint,
  metadata,
  parentConfig,
  pendingWrites = [],
}: CheckpointTuple): StoredTuple {
  const values = Object.entries(checkpoint.channel_values).map(([channel, text]): [string, Node] => [
    channel,
    fromText(text),
  ]);
  const writes = pendingWrites.map(([taskId, channel, text]) => ({
    taskId,
    channel,
    ...fromWriteText(text),
  }));
  writes.sort((a, b) => compareWritesSortKeys([a.taskPath, a.taskId, 0], [b.taskPath, b.taskId, 0]));
  const { thread_id: threadId, checkpoint_ns: namespace = "" } = config.configurable ?? {};
  const fields: object = metadata ?? {};
  return {
    threadId,
    namespace,
    id: checkpoint.id,
    parentId: parentConfig?.configurable?.["checkpoint_id"],
    checkpoint: { ...checkpoint, channel_values: Object.fromEntries(values) },
    metadata: fields as Record<string, Node>,
    writes,
  };
}
