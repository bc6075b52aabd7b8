import type { BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import { foldOf } from "@palimpsest/context";
import { newestNote, withNote } from "@palimpsest/context/internal";
import { admitCompaction } from "./admit-compaction.js";
import { mergeCompaction, type CompactionState } from "./context-state.js";
import type { ResolvedOptions } from "./resolve-options.js";

/** The state of a graph. Keys that no option names belong to the host. */
export type NodeState = object;

/** What a node returns: new messages under the output key, and what compaction remembers. */
export type NodeUpdate = Record<string, unknown>;

/** Returns the part of the state that compaction remembers, or undefined in a graph without the channel. */
export function compactionStateOf(state: NodeState): CompactionState | undefined {
  return admitCompaction(read(state, "compaction"));
}

/**
 * Returns the messages to work on: the thread, or with a separate `outputKey` the context of the last step and the
 * messages of the thread since then.
 *
 * The two are joined by message id. Where the newest message of the context is not in the thread any more
 * (time travel, an edited history) the context is built again from the thread.
 */
export function messagesOf(
  state: NodeState,
  { inputKey, outputKey }: Pick<ResolvedOptions, "inputKey" | "outputKey">,
): readonly BaseMessage[] {
  const thread = listOf(read(state, inputKey));
  if (outputKey === inputKey) return thread;
  const context = listOf(read(state, outputKey));
  const index = lastCovered(context, thread);
  return index < 0 ? thread : [...context, ...thread.slice(index + 1)];
}

/** Index of the newest message of the thread that the context has, itself or folded into its last stand-in; or -1. */
function lastCovered(context: readonly BaseMessage[], thread: readonly BaseMessage[]): number {
  const last = context.at(-1);
  if (last === undefined) return -1;
  const index = thread.findLastIndex(({ id }) => id !== undefined && id === last.id);
  const newest = foldOf(last)?.newest;
  return index >= 0 || newest === undefined ? index : thread.findLastIndex(({ id }) => id === newest);
}

/** Returns true when the thread has messages that a context under a separate key lacks. */
export function isContextBehind(state: NodeState, { inputKey, outputKey }: ResolvedOptions): boolean {
  if (outputKey === inputKey) return false;
  const thread = listOf(read(state, inputKey));
  return lastCovered(listOf(read(state, outputKey)), thread) !== thread.length - 1;
}

/**
 * Returns the update that puts `messages` in place of what was there.
 *
 * `Overwrite` bypasses the reducer of the host, keeps the order, and emits nothing into the message stream. A separate
 * channel takes the list as it is.
 */
export function messagesUpdate(
  messages: readonly BaseMessage[],
  { inputKey, outputKey }: ResolvedOptions,
): NodeUpdate {
  return { [outputKey]: outputKey === inputKey ? new Overwrite([...messages]) : [...messages] };
}

function listOf(value: unknown): readonly BaseMessage[] {
  return Array.isArray(value) ? (value as BaseMessage[]) : [];
}

/** Returns the update for what a compaction came to: empty when nothing changed and the thread is the context. */
export function outcomeUpdate(
  state: NodeState,
  outcome: { readonly messages: readonly BaseMessage[]; readonly state?: CompactionState },
  options: ResolvedOptions,
): NodeUpdate {
  const noted = compactionStateOf(state) === undefined ? withRefusal(outcome) : outcome.messages;
  const changed = noted !== messagesOf(state, options) || options.outputKey !== options.inputKey;
  return {
    ...(changed ? messagesUpdate(noted, options) : {}),
    ...(outcome.state === undefined ? {} : { compaction: outcome.state }),
  };
}

/** Returns what a graph without the `compaction` channel remembers: it is noted on the newest message. */
export function notedState(messages: readonly BaseMessage[]): CompactionState | undefined {
  return admitCompaction(newestNote(messages));
}

/** Returns the scope that the nodes keep in the state of a run without a `thread_id`, or undefined. */
export function scopeOf(state: NodeState, messages: readonly BaseMessage[]): string | undefined {
  return (compactionStateOf(state) ?? notedState(messages))?.scope;
}

/** Notes a refusal or a pause on the newest message, so that it is not repeated at each step, and removes an ended one. */
function withRefusal({ messages, state }: Parameters<typeof outcomeUpdate>[1]): readonly BaseMessage[] {
  if (state === undefined) return messages;
  const merged = mergeCompaction(notedState(messages), state);
  const { refusedAt = 0, prepared, microPause, overflow, retriedAt, scope } = merged;
  const isRetried = retriedAt !== undefined && retriedAt === messages.at(-1)?.id;
  const isKept = isRetried || refusedAt > 0 || [prepared, microPause, overflow, scope].some(Boolean);
  return withNote(messages, isKept ? merged : undefined);
}

/** The state of a host may be an interface, which has no index signature. */
function read(state: NodeState, key: string): unknown {
  return (state as Readonly<Record<string, unknown>>)[key];
}
