import type { BaseMessage } from "@langchain/core/messages";
import { messagesDeltaReducer } from "@langchain/langgraph";
import type { CheckpointEntry, VfsSaver } from "@palimpsest/checkpoint";
import { readThread } from "@palimpsest/langgraph/threads";
import type { Files } from "@palimpsest/vfs";
import { CliError } from "./cli-error.js";

/** The state of a thread at one checkpoint. */
export interface ThreadState {
  readonly entry: CheckpointEntry;
  /** What the model is sent: stand-ins in place of what was folded. */
  readonly context: readonly BaseMessage[];
  /** Entries of the workspace. */
  readonly files: Files;
}

/** Returns the checkpoints of a thread outside of subgraphs, oldest first. Throws a CliError when there are none. */
export async function stepsOf(saver: VfsSaver, threadId: string): Promise<readonly CheckpointEntry[]> {
  const entries: CheckpointEntry[] = [];
  for await (const entry of saver.checkpoints(threadId)) if (entry.namespace === "") entries.push(entry);
  if (entries.length > 0) return entries.toReversed();
  throw new CliError(
    `There is no thread ${JSON.stringify(threadId)}. "palimpsest threads" lists those that there are.`,
  );
}

/**
 * Reads a thread at a step, or at the checkpoint with an id; at the newest without `at`. Where a fork repeats a step, the newest
 * checkpoint of that step counts.
 */
export async function readState(saver: VfsSaver, threadId: string, at?: string): Promise<ThreadState> {
  const steps = await stepsOf(saver, threadId);
  const entry =
    at === undefined ? steps.at(-1) : steps.findLast(({ id, step }) => id === at || String(step) === at);
  if (entry === undefined) {
    const [first, last] = [steps[0]?.step, steps.at(-1)?.step];
    throw new CliError(
      `${JSON.stringify(threadId)} has no step or checkpoint ${at}. Its steps are ${first} to ${last}.`,
    );
  }
  const config = configOf(entry);
  const tuple = await saver.getTuple(config);
  const context: BaseMessage[] = [];
  const reducer = messagesDeltaReducer as (current: BaseMessage[], writes: never[]) => BaseMessage[];
  for await (const message of saver.readThread(config, { reducer })) context.push(message);
  return { entry, context, files: (tuple?.checkpoint.channel_values["files"] ?? {}) as Files };
}

/** Returns the thread as it happened, every fold opened. */
export async function unfoldState(saver: VfsSaver, { entry, context }: ThreadState): Promise<BaseMessage[]> {
  const graph = { getState: async () => ({ values: { messages: context } }) };
  return readThread(graph, configOf(entry), { files: saver.files });
}

function configOf({ threadId, namespace, id }: CheckpointEntry) {
  return { configurable: { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: id } };
}
