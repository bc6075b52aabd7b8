import type { BaseMessage } from "@langchain/core/messages";
import { messagesDeltaReducer } from "@langchain/langgraph";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { CheckpointEntry, VfsSaver } from "@palimpsest/checkpoint";
import { isArchivePath } from "@palimpsest/context/internal";
import type { CompactionState } from "@palimpsest/langgraph";
import { contextIn, readThread, type DamagedOriginal } from "@palimpsest/langgraph/threads";
import type { Files } from "@palimpsest/vfs";
import { InspectorError } from "../inspector-error.js";
import { checkpointsOf } from "./checkpoints-of.js";
import { contextKeys, type ContextKeys } from "./context-keys.js";

/** The state of a thread at one checkpoint. */
export interface ThreadState {
  readonly threadId: string;
  /** The namespace of its checkpoints; empty for a graph that does not run inside a step of another. */
  readonly namespace: string;
  /** Id of the checkpoint. */
  readonly id: string;
  /** The messages that the model is sent: stand-ins in place of what was folded. */
  readonly context: readonly BaseMessage[];
  /** The messages of the thread: the context itself, unless the graph keeps the thread whole beside it. */
  readonly thread: readonly BaseMessage[];
  readonly keys: ContextKeys;
  /** Entries of the workspace. */
  readonly files: Files;
  /** What was sent beside the messages. */
  readonly prompt: SentPrompt;
}

/** The archive path of a system prompt and tools, and its text, which is JSON; both empty if the host did not keep them. */
export interface SentPrompt {
  readonly path: string;
  readonly text: string;
}

/** A run of a subgraph: it has a namespace of the thread to itself. Its archive is that of the thread. */
export interface SubgraphRun {
  readonly threadId: string;
  readonly namespace: string;
}

/** A run of a subgraph, or the id of a thread for the agent of the thread itself. */
export type ThreadOrRun = string | SubgraphRun;

/** Returns the checkpoints of a thread or of a run, oldest first. Throws an InspectorError if there are none. */
export async function stepsOf(saver: VfsSaver, of: ThreadOrRun): Promise<readonly CheckpointEntry[]> {
  const { threadId, namespace } = await runOf(saver, of);
  const entries = (await checkpointsOf(saver, threadId)).filter((entry) => entry.namespace === namespace);
  if (entries.length > 0) return entries.toReversed();
  const thread = JSON.stringify(threadId);
  throw new InspectorError(
    typeof of === "string"
      ? `There is no thread ${thread}. "palimpsest threads" lists all threads.`
      : `The thread ${thread} has no checkpoint of a subgraph in the namespace ${JSON.stringify(namespace)}.`,
  );
}

/** Returns where the checkpoints of a thread or of a run are. */
export async function runOf(saver: VfsSaver, of: ThreadOrRun): Promise<SubgraphRun> {
  return typeof of === "string" ? { threadId: of, namespace: await mainNamespace(saver, of) } : of;
}

/**
 * Returns the namespace in which the agent of a thread runs: the one of the whole graph, or the first one if the thread has
 * none. An agent that a tool of another graph invokes with its own thread runs in a namespace of that graph's step.
 */
export async function mainNamespace(saver: VfsSaver, threadId: string): Promise<string> {
  for await (const { namespace } of saver.checkpoints(threadId)) {
    // The first one listed is nearly always that of the whole graph. Reading a checkpoint to be sure costs more.
    const isMain =
      namespace === "" || (await saver.getTuple(configOf(threadId, { namespace: "" }))) !== undefined;
    return isMain ? "" : namespace;
  }
  return "";
}

/**
 * Reads a thread or a run at a step, or at the checkpoint with an id; without `at`, at the newest. If a fork repeats a step,
 * reads the newest checkpoint of that step.
 */
export async function readState(saver: VfsSaver, of: ThreadOrRun, at?: string): Promise<ThreadState> {
  return stateOf(saver, await tupleAt(saver, of, at));
}

/** Returns the state of a checkpoint that was already read. */
export async function stateOf(saver: VfsSaver, tuple: CheckpointTuple): Promise<ThreadState> {
  const files = (tuple.checkpoint.channel_values["files"] ?? {}) as Files;
  const { thread_id: threadId, checkpoint_ns: namespace = "" } = tuple.config.configurable as ThreadPlace;
  const prompt = await promptOf(saver, tuple, threadId);
  return { threadId, namespace, id: tuple.checkpoint.id, ...(await messagesAt(saver, tuple)), files, prompt };
}

/** The prompt that was read last: most steps have the one of the step before. */
const lastPrompts = new WeakMap<VfsSaver, SentPrompt & { readonly threadId: string }>();

async function promptOf(
  saver: VfsSaver,
  { checkpoint }: CheckpointTuple,
  threadId: string,
): Promise<SentPrompt> {
  const { prompt: path } = (checkpoint.channel_values["compaction"] ?? {}) as CompactionState;
  if (!isArchivePath(path)) return { path: "", text: "" };
  const known = lastPrompts.get(saver);
  if (known?.threadId === threadId && known.path === path) return known;
  // A prompt that is damaged hides no message.
  const text = await saver.files
    .archive(threadId)
    .readText(path)
    .catch(() => "");
  const prompt = { threadId, path, text };
  lastPrompts.set(saver, prompt);
  return prompt;
}

interface ThreadPlace {
  readonly thread_id: string;
  readonly checkpoint_ns?: string;
}

/** The messages of a checkpoint, and their channels. */
export type StateMessages = Pick<ThreadState, "context" | "thread" | "keys">;

/**
 * Returns the messages of a checkpoint. A delta channel is rebuilt. `known` are the channels of a neighbor. They save the
 * search for a context beside the thread, which reads every message.
 */
export async function messagesAt(
  saver: VfsSaver,
  tuple: CheckpointTuple,
  known?: ContextKeys,
): Promise<StateMessages> {
  const { channel_values: values, channel_versions: versions } = tuple.checkpoint;
  const keys = isBeside(known, values) ? known : contextKeys(values, Object.keys(versions));
  const { inputKey } = keys;
  const stored = values[inputKey];
  const thread = Array.isArray(stored) ? (stored as BaseMessage[]) : await rebuilt(saver, tuple, inputKey);
  const context = contextIn({ ...values, [inputKey]: thread }, keys);
  return { thread, context, keys };
}

function isBeside(
  keys: ContextKeys | undefined,
  values: Readonly<Record<string, unknown>>,
): keys is ContextKeys {
  return (
    keys !== undefined &&
    keys.outputKey !== keys.inputKey &&
    [keys.inputKey, keys.outputKey].every((key) => Array.isArray(values[key]))
  );
}

async function rebuilt(
  saver: VfsSaver,
  { config }: CheckpointTuple,
  channel: string,
): Promise<BaseMessage[]> {
  const reducer = messagesDeltaReducer as (current: BaseMessage[], writes: never[]) => BaseMessage[];
  const messages: BaseMessage[] = [];
  for await (const message of saver.readThread(config, { channel, reducer })) messages.push(message);
  return messages;
}

/**
 * Returns the thread as it happened, with every fold opened. With `onDamage`, a fold with a damaged original stays closed;
 * without, throws the error.
 */
export async function unfoldState(
  saver: VfsSaver,
  { threadId, namespace, id, thread }: ThreadState,
  onDamage?: OnDamagedOriginal,
): Promise<BaseMessage[]> {
  const graph = { getState: async () => ({ values: { messages: thread } }) };
  return readThread(graph, configOf(threadId, { namespace, id }), { files: saver.files, onDamage });
}

/** Called for each archive file that cannot be read. */
export type OnDamagedOriginal = (damaged: DamagedOriginal) => void;

/** Reads the checkpoint that `readState` reads. */
export async function tupleAt(saver: VfsSaver, of: ThreadOrRun, at?: string): Promise<CheckpointTuple> {
  const { threadId, namespace } = await runOf(saver, of);
  // The id of a checkpoint is a UUID. A step is a number, and finding it reads every checkpoint.
  const isId = at === undefined || at.includes("-", 1);
  const direct = isId ? await saver.getTuple(configOf(threadId, { namespace, id: at })) : undefined;
  if (direct !== undefined) return direct;
  const steps = await stepsOf(saver, of);
  const entry = steps.findLast(({ step }) => String(step) === at);
  const tuple = entry && (await saver.getTuple(configOf(threadId, entry)));
  if (tuple !== undefined) return tuple;
  const [first, last] = [steps[0]?.step, steps.at(-1)?.step];
  throw new InspectorError(
    `${JSON.stringify(threadId)} has no step or checkpoint ${at}. Its steps are ${first} to ${last}.`,
  );
}

interface CheckpointPlace {
  readonly namespace: string;
  /** @default the newest */
  readonly id?: string | undefined;
}

function configOf(threadId: string, { namespace, id }: CheckpointPlace) {
  const named = id === undefined ? {} : { checkpoint_id: id };
  return { configurable: { thread_id: threadId, checkpoint_ns: namespace, ...named } };
}
