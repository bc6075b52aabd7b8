import type { BaseMessage } from "@langchain/core/messages";
import { messagesDeltaReducer } from "@langchain/langgraph";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { CheckpointEntry, VfsSaver } from "@palimpsest/checkpoint";
import { readThread } from "@palimpsest/langgraph/threads";
import type { Files } from "@palimpsest/vfs";
import { InspectorError } from "../inspector-error.js";

/** The state of a thread at one checkpoint. */
export interface ThreadState {
  readonly threadId: string;
  /** Id of the checkpoint. */
  readonly id: string;
  /** What the model is sent: stand-ins in place of what was folded. */
  readonly context: readonly BaseMessage[];
  /** Entries of the workspace. */
  readonly files: Files;
}

/** Returns the checkpoints of a thread outside of subgraphs, oldest first. Throws an InspectorError when there are none. */
export async function stepsOf(saver: VfsSaver, threadId: string): Promise<readonly CheckpointEntry[]> {
  const entries: CheckpointEntry[] = [];
  for await (const entry of saver.checkpoints(threadId)) if (entry.namespace === "") entries.push(entry);
  if (entries.length > 0) return entries.toReversed();
  throw noThread(threadId);
}

/**
 * Reads a thread at a step, or at the checkpoint with an id; at the newest without `at`. Where a fork repeats a step, the newest
 * checkpoint of that step counts.
 */
export async function readState(saver: VfsSaver, threadId: string, at?: string): Promise<ThreadState> {
  const tuple = await tupleAt(saver, threadId, at);
  const files = (tuple.checkpoint.channel_values["files"] ?? {}) as Files;
  return { threadId, id: tuple.checkpoint.id, context: await contextOf(saver, tuple), files };
}

/** Returns what the model is sent at a checkpoint. A delta channel is rebuilt. */
export async function contextOf(saver: VfsSaver, tuple: CheckpointTuple): Promise<readonly BaseMessage[]> {
  const stored = tuple.checkpoint.channel_values["messages"];
  if (Array.isArray(stored)) return stored as BaseMessage[];
  const reducer = messagesDeltaReducer as (current: BaseMessage[], writes: never[]) => BaseMessage[];
  const context: BaseMessage[] = [];
  for await (const message of saver.readThread(tuple.config, { reducer })) context.push(message);
  return context;
}

/** Returns the thread as it happened, every fold opened. */
export async function unfoldState(
  saver: VfsSaver,
  { threadId, id, context }: ThreadState,
): Promise<BaseMessage[]> {
  const graph = { getState: async () => ({ values: { messages: context } }) };
  return readThread(graph, configOf(threadId, id), { files: saver.files });
}

async function tupleAt(saver: VfsSaver, threadId: string, at: string | undefined): Promise<CheckpointTuple> {
  // The id of a checkpoint is a UUID; a step is a number, for which every checkpoint has to be looked at.
  const isId = at === undefined || at.includes("-", 1);
  const direct = isId ? await saver.getTuple(configOf(threadId, at)) : undefined;
  if (direct !== undefined) return direct;
  const steps = await stepsOf(saver, threadId);
  const entry = steps.findLast(({ step }) => String(step) === at);
  const tuple = entry && (await saver.getTuple(configOf(threadId, entry.id)));
  if (tuple !== undefined) return tuple;
  const [first, last] = [steps[0]?.step, steps.at(-1)?.step];
  throw new InspectorError(
    `${JSON.stringify(threadId)} has no step or checkpoint ${at}. Its steps are ${first} to ${last}.`,
  );
}

function configOf(threadId: string, id: string | undefined) {
  const named = id === undefined ? {} : { checkpoint_id: id };
  return { configurable: { thread_id: threadId, checkpoint_ns: "", ...named } };
}

function noThread(threadId: string): InspectorError {
  return new InspectorError(
    `There is no thread ${JSON.stringify(threadId)}. "palimpsest threads" lists those that there are.`,
  );
}
