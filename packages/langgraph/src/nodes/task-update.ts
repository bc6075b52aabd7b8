import type { BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import { withIds } from "@palimpsest/context";
import { lacksChannel } from "../options/require-channels.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import type { NodeConfig } from "../run-config.js";
import { mergeCompaction, updateOf, type CompactionState } from "../run/context-state.js";
import {
  compactionStateOf,
  contextIn,
  listOf,
  outcomeUpdate,
  type NodeState,
  type NodeUpdate,
  type Outcome,
  type StateKeys,
} from "../run/node-state.js";
import type { GivenList } from "./given-list.js";
import { takesLastValue } from "./last-value.js";
import { mayOthersWrite, taskOf } from "./shared-steps.js";
import { setNewest } from "../set-newest.js";

export interface TaskOptions extends StateKeys {
  readonly files: ResolvedOptions["files"];
}

interface TaskRun {
  readonly options: TaskOptions;
  readonly config: NodeConfig | undefined;
  /** The node calls the model: it writes itself what it has added to the messages. @default false: only what is behind them is kept */
  readonly isCall?: boolean;
  /** The node was called with a list of its own. @default false */
  readonly isOwn?: boolean;
}

/**
 * Returns the update of a node for the outcome of a compaction, so that it drops no message of the thread.
 *
 * An overwrite drops what the channel holds and what other tasks of the same step write. So nothing is written where the node was
 * called with a list of its own (a `Send`, a host that passes a part of the messages, or the functional API): then only this call
 * sees the compaction, and the next one with such a list in this process. Beside other tasks that may write messages, and where the
 * host has changed messages for the call, the messages stay and the context is kept beside them, as with `keepThread`: in the channel
 * `compaction`, or without it in this process. What a host has added for the call, such as a system message, is no part of the thread.
 */
export async function taskUpdate(given: GivenList, whole: Outcome, run: TaskRun): Promise<NodeUpdate> {
  const { options, config } = run;
  if (given.isOwn) return ownUpdate(given, whole, run);
  const state = given.thread;
  const outcome = ofThread(whole, given, run);
  const known = recalledState(state, run);
  const update = outcomeUpdate(known, outcome, options);
  if (Object.keys(update).length === 0) return {};
  const isOverwrite = overwrites(update, options);
  const staysWhole = isOverwrite && (given.isChanged || (await mayOthersWrite(options.inputKey, config)));
  if (staysWhole) return keepBeside(state, outcome, run);
  if (!isOverwrite) return known === state ? update : remember(update, known, run);
  const rewrite = known === state ? update : forget(state, outcome, run);
  return takesList(options.inputKey, config) ? withList(rewrite, options.inputKey) : rewrite;
}

/** Keeps the context of a list that is not in the graph beside it, for the next call of the model with such a list. */
function ownUpdate({ state }: GivenList, outcome: Outcome, run: TaskRun): NodeUpdate {
  const { thread_id: thread } = run.config?.configurable ?? {};
  const isKept = run.isCall === true && compactionIn(state) === undefined && thread !== undefined;
  return isKept ? keepBeside(state, outcome, { ...run, isOwn: true }) : {};
}

/** Returns whether an overwrite would be taken as the value itself: without a reducer, and in the functional API. */
function takesList(key: string, config: NodeConfig | undefined): boolean {
  return lacksChannel(config, key) || takesLastValue(key, config);
}

/** Returns an update whose messages are a plain list. */
function withList(update: NodeUpdate, key: string): NodeUpdate {
  const messages = update[key];
  return Overwrite.isInstance(messages) ? { ...update, [key]: messages.value } : update;
}

function overwrites(update: NodeUpdate, { inputKey, outputKey, keepThread }: TaskOptions): boolean {
  return outputKey === inputKey && !keepThread && outputKey in update;
}

/** Returns an outcome without what the host has added for the call. */
function ofThread(outcome: Outcome, given: GivenList, run: TaskRun): Outcome {
  const left = run.isCall === true ? given.added : given.before;
  if (given.thread === given.state) return outcome;
  const { messages } = outcome;
  const isSame = messages === contextIn(recalledState(given.state, run), run.options);
  if (isSame) return { ...outcome, messages: contextIn(recalledState(given.thread, run), run.options) };
  return { ...outcome, messages: withIds(messages).filter(({ id = "" }) => !left.has(id)) };
}

/** What compaction remembers of threads of graphs without the channel, whose tasks share their steps. */
const contexts = new WeakMap<TaskOptions["files"], Map<string, CompactionState>>();
const maxContexts = 1_000;

function contextsOf({ options }: TaskRun) {
  return contexts.get(options.files);
}

function contextKey(state: NodeState, { options, config, isOwn = false }: TaskRun): string {
  const { inputKey } = options;
  const { thread_id: thread } = config?.configurable ?? {};
  const { namespace, name } = taskOf(config) ?? {};
  const own = () => [name, beginningOf(listOf((state as Readonly<Record<string, unknown>>)[inputKey]))];
  return JSON.stringify([thread, namespace, inputKey, ...(isOwn ? own() : [])]);
}

/** Returns what tells a list of a call from that of another task of the same node: the id of its first message of the conversation. */
function beginningOf(messages: readonly BaseMessage[]): string | undefined {
  const [first] = withIds(messages.filter((message) => message.getType() !== "system").slice(0, 1));
  return first?.id;
}

/** Returns the state that a call works on. */
export function stateOfCall({ state, isOwn }: GivenList, run: TaskRun): NodeState {
  const known = recalledState(state, { ...run, isOwn });
  if (!isOwn) return known;
  const { inputKey } = run.options;
  const { [inputKey]: value } = state as Readonly<Record<string, unknown>>;
  const list = withIds(listOf(value));
  // Replies in the list may report the size of a shorter context.
  const editedAt = list.at(-1)?.id;
  const doubt = updateOf(editedAt === undefined ? {} : { editedAt }, inputKey);
  return { ...known, [inputKey]: list, compaction: mergeCompaction(compactionIn(known), doubt) };
}

/** Returns the state with what this process remembers of its context in place of the channel `compaction`. */
export function recalledState(state: NodeState, run: TaskRun): NodeState {
  if (run.config?.configurable?.["thread_id"] === undefined || compactionIn(state) !== undefined)
    return state;
  const compaction = contextsOf(run)?.get(contextKey(state, run));
  return compaction === undefined ? state : { ...state, compaction };
}

function compactionIn(state: NodeState): CompactionState | undefined {
  return (state as { readonly compaction?: CompactionState }).compaction;
}

/** Returns the update that leaves the messages, and keeps the context beside them. */
function keepBeside(state: NodeState, outcome: Outcome, run: TaskRun): NodeUpdate {
  const options = { ...run.options, keepThread: true };
  if (compactionIn(state) !== undefined) return outcomeUpdate(state, outcome, options);
  const known = { compaction: {}, ...recalledState(state, run) };
  return remember(outcomeUpdate(known, outcome, options), known, run);
}

/** Takes an update of the channel that the graph lacks. Returns the update of the graph: nothing. */
function remember({ compaction }: NodeUpdate, state: NodeState, run: TaskRun): NodeUpdate {
  const own = contextsOf(run) ?? new Map<string, CompactionState>();
  contexts.set(run.options.files, own);
  const key = contextKey(state, run);
  setNewest(own, [key, mergeCompaction(compactionIn(state), compaction as CompactionState)], maxContexts);
  return {};
}

/** Returns the update that puts what was remembered into the messages. */
function forget(state: NodeState, outcome: Outcome, run: TaskRun): NodeUpdate {
  const remembered = compactionStateOf(recalledState(state, run), run.options);
  const { context: _, ...noted } = { ...remembered, ...outcome.state };
  contextsOf(run)?.delete(contextKey(state, run));
  return outcomeUpdate(state, { ...outcome, state: noted }, run.options);
}
