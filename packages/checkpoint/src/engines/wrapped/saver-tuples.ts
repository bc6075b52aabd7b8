import type { RunnableConfig } from "@langchain/core/runnables";
import { compareWritesSortKeys } from "@langchain/langgraph-checkpoint";
import type { CheckpointListOptions, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { CheckpointError } from "../../checkpoint-error.js";
import { isForeign, tag } from "../../codec/node.js";
import { checksumOf } from "../../codec/packing/checksum.js";
import type { Node } from "../../codec/node.js";
import { isEarlier, isUuid } from "../../codec/uuid.js";
import type { ListQuery, StoredTuple } from "../../engine.js";

/** What texts begin with. Eight hex digits follow, a CRC-32 of the rest. */
const prefixes = { value: "pmps2:", write: "pmps2w:" } as const;
const sumLength = 8;

/** A task's write, with the task path that most savers do not keep. */
export interface WriteText {
  readonly taskPath: string;
  readonly value: Node;
}

/**
 * Returns a node as text, which every serializer returns unchanged. A value from before the saver was wrapped, as in a copy of
 * a thread, stays as it is: only the saver's own serializer keeps values that JSON cannot represent. Pure.
 */
export function toStored(node: Node): unknown {
  return isForeign(node) ? foreignValue(node) : withSum(prefixes.value, JSON.stringify(node));
}

function foreignValue(node: Node): unknown {
  return (node as { readonly v: unknown }).v;
}

/** The inverse of `toStored`. A value that the saver stored before it was wrapped becomes a node that contains it. Pure. */
export function fromText(stored: unknown): Node {
  const text = checked(stored, prefixes.value);
  if (text !== undefined) return JSON.parse(text);
  return { [tag]: "V", v: stored as Node };
}

/** Returns a write and the path of its task as text, or as it is when it is from before the saver was wrapped. Pure. */
export function toStoredWrite({ taskPath, value }: WriteText): unknown {
  if (isForeign(value)) return foreignValue(value);
  return withSum(prefixes.write, JSON.stringify([taskPath, value]));
}

/** The inverse of `toStoredWrite`. A write from before the saver was wrapped has no path. Pure. */
function fromWriteText(stored: unknown): WriteText {
  const text = checked(stored, prefixes.write);
  if (text === undefined) return { taskPath: "", value: fromText(stored) };
  const [taskPath, value]: [string, Node] = JSON.parse(text);
  return { taskPath, value };
}

function withSum(prefix: string, text: string): string {
  return prefix + sumOf(text) + text;
}

function sumOf(text: string): string {
  return checksumOf([], text).toString(16).padStart(sumLength, "0");
}

/** Returns the text after the prefix, undefined without one. Throws a CheckpointError "corrupt". */
function checked(stored: unknown, prefix: string): string | undefined {
  if (typeof stored !== "string" || !stored.startsWith(prefix)) return undefined;
  const text = stored.slice(prefix.length + sumLength);
  if (stored.slice(prefix.length, prefix.length + sumLength) === sumOf(text)) return text;
  throw new CheckpointError(
    "corrupt",
    "A value in the wrapped saver is damaged: its text changed. Restore its database from a copy.",
  );
}

interface Place {
  readonly threadId: string | undefined;
  readonly namespace: string | undefined;
  readonly id: string | undefined;
}

/** Returns the config of a place for a saver. Pure. */
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

/** True for the id of a checkpoint that a query asks for. Pure. */
export function isWanted(found: string, { id, before }: ListQuery): boolean {
  return (id === undefined || found === id) && (before === undefined || isEarlier(found, before));
}

/** Returns what of a query the wrapped saver may apply: an id that is no UUID has another place in its order. Pure. */
export function optionsOf({
  threadId,
  namespace,
  id,
  before,
  limit = Infinity,
}: ListQuery): CheckpointListOptions {
  const isInOrder = before === undefined || isUuid(before);
  return {
    ...(before !== undefined && isInOrder ? { before: configOf({ threadId, namespace, id: before }) } : {}),
    ...(limit === Infinity || id !== undefined || !isInOrder ? {} : { limit }),
  };
}
