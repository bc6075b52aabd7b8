import { isBaseMessage, RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import { Overwrite, REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import { foldOf, withIds } from "@palimpsest/context";
import {
  continueContext,
  continueView,
  isAi,
  markView,
  newestNote,
  originalMessages,
  partsOfContext,
  soundMessages,
  withNote,
} from "@palimpsest/context/internal";
import { beginsNested } from "../nested-run.js";
import { admitCompaction } from "./admit-compaction.js";
import {
  compactionOf,
  mergeCompaction,
  updateOf,
  type CompactionState,
  type ContextKeys,
} from "./context-state.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import type { NodeConfig } from "../run-config.js";

/** The state of a graph. Keys that no option names belong to the host. */
export type NodeState = object;

/** What a node returns: new messages under the output key, and what compaction remembers. */
export type NodeUpdate = Record<string, unknown>;

/** The state keys of the thread and of the context, and whether the context is beside the thread in `compaction`. */
export type StateKeys = Pick<ResolvedOptions, "inputKey" | "outputKey" | "keepThread">;

/** Returns what compaction remembers of the context with an `inputKey`, or undefined in a graph without the channel. */
export function compactionStateOf(
  state: NodeState,
  { inputKey = "messages" }: ContextKeys = {},
): CompactionState | undefined {
  const channel = channelOf(state);
  return channel && admitCompaction(compactionOf(channel, inputKey));
}

function channelOf(state: NodeState): CompactionState | undefined {
  return admitCompaction(read(state, "compaction"));
}

/**
 * Returns the context of a state: what the model is sent. That is the list of messages itself, or, where the thread stays whole
 * beside it (`keepThread`, or an `outputKey`), the thread with its folds. Changes nothing.
 */
export function contextIn(
  state: NodeState,
  { inputKey = "messages", outputKey = inputKey }: ContextKeys = {},
): readonly BaseMessage[] {
  const thread = listOf(read(state, inputKey));
  if (outputKey !== inputKey) return continueView(thread, listOf(read(state, outputKey)));
  const parts = compactionStateOf(state, { inputKey })?.context;
  return parts === undefined ? thread : continueContext(parts, thread);
}

/** Returns the messages to work on, and the thread if it is beside them. */
export function listsOf(state: NodeState, keys: StateKeys & { readonly config?: NodeConfig | undefined }) {
  const messages = contextIn(state, keys);
  const isKept = keys.keepThread || compactionStateOf(state, keys)?.context !== undefined;
  return isKept || keys.outputKey !== keys.inputKey
    ? {
        messages,
        thread: listOf(read(state, keys.inputKey)),
        mayExceedReport: mayExceedReport(state, messages, keys),
      }
    : { messages, mayExceedReport: false };
}

/**
 * Returns whether the context may have more than the newest call was sent: nothing remembers what that was, as in an agent that runs as a
 * node of a larger graph, perhaps beside another, or at its beginning there, or the host has changed a message that a stand-in of a
 * context beside its thread covered.
 */
export function mayExceedReport(
  state: NodeState,
  messages: readonly BaseMessage[],
  {
    inputKey = "messages",
    outputKey = inputKey,
    config,
  }: ContextKeys & { readonly config?: NodeConfig | undefined } = {},
): boolean {
  const known = compactionStateOf(state, { inputKey });
  const view = outputKey === inputKey ? known?.context : listOf(read(state, outputKey));
  if (beginsNested(config, inputKey) || remembersNothing(known, view)) return messages.some(isAi);
  const ids = new Set(messages.map(({ id }) => id));
  return (
    view?.some((part) => isBaseMessage(part) && foldOf(part) !== undefined && !ids.has(part.id)) ?? false
  );
}

function remembersNothing(known: CompactionState | undefined, view: readonly unknown[] = []): boolean {
  return view.length === 0 && known !== undefined && Object.keys(known).length === 0;
}

/** Returns true if a context under a separate key differs from what the node would read now. */
export function isContextBehind(state: NodeState, options: StateKeys): boolean {
  const context = listOf(read(state, options.outputKey));
  return options.outputKey !== options.inputKey && contextIn(state, options) !== context;
}

/**
 * Returns the update that puts the messages of an outcome in place of the context, with what compaction remembers.
 *
 * `Overwrite` bypasses the reducer of the host, keeps the order, and emits nothing into the message stream. A separate
 * channel takes the list as it is, marked with what the thread in `state` says, so that the next step notices changes. With
 * `keepThread` only what differs from the thread is written.
 */
export function messagesUpdate(
  { messages, state: changes }: Outcome,
  { inputKey, outputKey, keepThread }: StateKeys,
  state: NodeState,
): NodeUpdate {
  const remembered = changes && { compaction: updateOf(changes, inputKey) };
  if (outputKey !== inputKey)
    return {
      [outputKey]: originalMessages(markView(messages, listOf(read(state, inputKey)))),
      ...remembered,
    };
  if (keepThread) {
    const context = partsOfContext(messages, listOf(read(state, inputKey)));
    return { compaction: updateOf({ ...changes, context }, inputKey) };
  }
  const wasBeside = compactionStateOf(state, { inputKey })?.context !== undefined;
  return {
    [outputKey]: new Overwrite([...originalMessages(messages)]),
    ...(wasBeside ? { compaction: updateOf({ ...changes, context: undefined }, inputKey) } : remembered),
  };
}

type SendWrites = (writes: readonly (readonly [channel: string, value: unknown])[]) => void;

/**
 * Writes to the channels of the node that runs, before what it returns; a node that fails writes nothing.
 *
 * A command in place of a reply is no way to write around one: other middleware may call the model several times in one node,
 * or return another reply. Returns false outside a graph, and in a version of LangGraph that has no such way.
 */
export function writeState(
  update: Readonly<Record<string, unknown>> | Parameters<SendWrites>[0],
  config: NodeConfig,
): boolean {
  // What LangGraph (1.x) gives to each task for its writes.
  const send = config.configurable?.["__pregel_send"];
  if (typeof send !== "function") return false;
  (send as SendWrites)(Array.isArray(update) ? update : Object.entries(update));
  return true;
}

/** Puts messages in place of those of a `createAgent` agent, like {@link writeState}: what the node returns joins them. */
export function replaceMessages(messages: readonly BaseMessage[], config: NodeConfig): boolean {
  // An overwrite would drop the reply, and a second one in the same node is an error.
  const removal = new RemoveMessage({ id: REMOVE_ALL_MESSAGES });
  return writeState({ messages: [removal, ...originalMessages(withIds(messages))] }, config);
}

/** Returns the messages of a channel in the form that readers rely on: a reducer lets in whatever a client sends. */
export function listOf(value: unknown): readonly BaseMessage[] {
  return Array.isArray(value) ? soundMessages(value as BaseMessage[]) : [];
}

/** What a compaction returns: the messages, the same array if none changed, and what it remembers. */
export interface Outcome {
  readonly messages: readonly BaseMessage[];
  readonly state?: CompactionState;
}

/** Returns the update for the outcome of a compaction: empty if nothing changed and no separate channel has the context. */
export function outcomeUpdate(state: NodeState, outcome: Outcome, options: StateKeys): NodeUpdate {
  const noted = channelOf(state) === undefined ? withRefusal(outcome) : outcome.messages;
  const changed = noted !== contextIn(state, options) || options.outputKey !== options.inputKey;
  if (changed) return messagesUpdate({ ...outcome, messages: noted }, options, state);
  return outcome.state === undefined ? {} : { compaction: updateOf(outcome.state, options.inputKey) };
}

/** Returns what compaction remembers: the channel, or in a graph without it the metadata of the newest message. */
export function knownState(
  messages: readonly BaseMessage[],
  state: CompactionState | undefined,
): CompactionState | undefined {
  return state ?? admitCompaction(newestNote(messages));
}

/** Returns the scope that the nodes keep in the state of a run without a `thread_id`, or undefined. */
export function scopeOf(state: NodeState, messages: readonly BaseMessage[]): string | undefined {
  return knownState(messages, channelOf(state))?.scope;
}

/**
 * Notes a refusal or a pause on the newest message, so that it is not repeated at each step, and removes a note that no longer
 * holds.
 */
function withRefusal({ messages, state }: Outcome): readonly BaseMessage[] {
  if (state === undefined) return messages;
  const merged = mergeCompaction(knownState(messages, undefined), state);
  const { refusedAt = 0, prepared, microPause, overflow, retriedAt, scope, disputedUsage, drift } = merged;
  const isRetried = retriedAt !== undefined && retriedAt === messages.at(-1)?.id;
  const isKept =
    isRetried || refusedAt > 0 || [prepared, microPause, overflow, scope, disputedUsage, drift].some(Boolean);
  return withNote(messages, isKept ? merged : undefined);
}

/** The state of a host may be an interface, which has no index signature. */
function read(state: NodeState, key: string): unknown {
  return (state as Readonly<Record<string, unknown>>)[key];
}
