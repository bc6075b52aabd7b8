import { isBaseMessage, type BaseMessage } from "@langchain/core/messages";
import { foldsIn } from "@palimpsest/context/internal";

/** The channels of a graph that hold the thread and the messages that the model is sent. */
export interface ContextKeys {
  readonly inputKey: string;
  /** Equal to `inputKey` if the folds are in the thread itself. */
  readonly outputKey: string;
  /** The context is beside the thread in the channel `compaction`. */
  readonly keepThread: boolean;
}

/**
 * Finds the channels of the thread and of the context among the values of a checkpoint: the options of a node are not recorded.
 * The thread is `messages`, or else the longest list of messages. A context beside it is named `context`, or has folds where the
 * thread has none; every other message of it is one of the thread. `channels` names also those without a value. Pure.
 */
export function contextKeys(
  values: Readonly<Record<string, unknown>>,
  channels: readonly string[],
): ContextKeys {
  const lists = Object.entries(values).filter((entry): entry is [string, BaseMessage[]] => isList(entry[1]));
  const longest = lists.toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
  const inputKey = channels.includes("messages") ? "messages" : (longest ?? "messages");
  const { context } = (values["compaction"] ?? {}) as { readonly context?: unknown };
  if (Array.isArray(context)) return { inputKey, outputKey: inputKey, keepThread: true };
  // Not among the lists if it is a delta channel.
  const thread = lists.find(([name]) => name === inputKey)?.[1];
  const [outputKey = inputKey] =
    lists.find(([name, list]) => name !== inputKey && isContext(name, list, thread)) ?? [];
  return { inputKey, outputKey, keepThread: false };
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && isBaseMessage(value[0]);
}

function isContext(
  name: string,
  list: readonly BaseMessage[],
  thread: readonly BaseMessage[] | undefined,
): boolean {
  const folds = new Set(foldsIn(list).map(({ index }) => index));
  if (thread === undefined) return name === "context" || folds.size > 0;
  if (name !== "context" && (folds.size === 0 || foldsIn(thread).length > 0)) return false;
  const ids = new Set(thread.map(({ id }) => id));
  return list.every(({ id }, index) => folds.has(index) || ids.has(id));
}
