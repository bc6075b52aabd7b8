import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph";
import { setTimeout as pause } from "node:timers/promises";
import type { NodeConfig } from "../run-config.js";

/** A task of a step of a graph. */
interface Task {
  readonly id: string;
  /** Of the checkpoint before the step. */
  readonly checkpoint: string;
  /** Of the graph. */
  readonly namespace: string;
}

/** Returns the task that runs, as LangGraph (1.x) names it in the config; undefined outside a graph. */
export function taskOf(config: NodeConfig | undefined): Task | undefined {
  const { __pregel_task_id: id, checkpoint_ns: path, checkpoint_map: map } = config?.configurable ?? {};
  if (typeof id !== "string" || typeof path !== "string" || typeof map !== "object") return undefined;
  const checkpoints = (map ?? {}) as Readonly<Record<string, unknown>>;
  const checkpoint = checkpoints[path.split("|").slice(0, -1).join("|")];
  // An error handler has the namespace of the task that failed.
  const [namespace] = Object.entries(checkpoints).find(([, one]) => one === checkpoint) ?? [];
  return typeof checkpoint === "string" && namespace !== undefined
    ? { id, checkpoint, namespace }
    : undefined;
}

/** Tasks that compact, by the step they belong to: without a checkpointer, nothing else tells of them. */
const tasks = new Map<string, Set<string>>();
const maxSteps = 1_000;

/** Notes that a task compacts in its step. A node calls it before it waits for anything. */
export function joinStep(config: NodeConfig | undefined): void {
  const task = taskOf(config);
  if (task === undefined) return;
  tasks.set(task.checkpoint, (tasks.get(task.checkpoint) ?? new Set()).add(task.id));
  const [oldest] = tasks.keys();
  if (tasks.size > maxSteps && oldest !== undefined) tasks.delete(oldest);
}

/**
 * Returns whether another task of the same step compacts, has written to a channel, or has not ended yet. Of tasks that do not
 * compact it knows what the checkpointer knows.
 */
export async function mayOthersWrite(channel: string, config: NodeConfig | undefined): Promise<boolean> {
  const task = taskOf(config);
  if (task === undefined) return false;
  if ((tasks.get(task.checkpoint)?.size ?? 0) > 1) return true;
  const { __pregel_checkpointer: saver, thread_id: thread } = config?.configurable ?? {};
  if (typeof (saver as BaseCheckpointSaver | undefined)?.getTuple !== "function") return false;
  try {
    return await isBesideWriters(channel, { task, saver: saver as BaseCheckpointSaver, thread });
  } catch {
    // A storage that does not answer does not say that the task is alone.
    return true;
  }
}

interface StoredStep {
  readonly task: Task;
  readonly saver: BaseCheckpointSaver;
  readonly thread: unknown;
}

async function isBesideWriters(channel: string, step: StoredStep): Promise<boolean> {
  const tuple = await storedTuple(step);
  // With the durability "exit" nothing is stored before the end of the run, and nothing is known.
  if (tuple === undefined) return false;
  const { task } = step;
  const others = (tuple.pendingWrites ?? []).filter(([id]) => id !== task.id);
  const ended = new Set(others.map(([id]) => id));
  return others.some(([, name]) => name === channel) || ended.size + 1 < taskCount(tuple.checkpoint);
}

/** Milliseconds between attempts to read a checkpoint that LangGraph stores while its step runs. */
const pauses = [1, 10, 50];

async function storedTuple({ task, saver, thread }: StoredStep): Promise<CheckpointTuple | undefined> {
  const place = { thread_id: thread, checkpoint_ns: task.namespace, checkpoint_id: task.checkpoint };
  for (const ms of [...pauses, undefined]) {
    const tuple = await saver.getTuple({ configurable: place });
    if (tuple !== undefined || ms === undefined) return tuple;
    await pause(ms);
  }
  return undefined;
}

/** Returns the number of tasks that follow a checkpoint: nodes that an edge leads to, and sends. */
function taskCount({ channel_values: values }: { readonly channel_values: Record<string, unknown> }): number {
  const edges = Object.keys(values).filter((name) => name.startsWith("branch:to:"));
  const sends = values["__pregel_tasks"];
  return edges.length + (Array.isArray(sends) ? sends.length : 0);
}
