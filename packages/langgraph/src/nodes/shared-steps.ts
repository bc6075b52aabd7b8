import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph";
import { setTimeout as pause } from "node:timers/promises";
import { availableChannels } from "../options/require-channels.js";
import type { NodeConfig } from "../run-config.js";
import { setNewest } from "../set-newest.js";

/** A task of a step of a graph. */
interface Task {
  readonly id: string;
  /** Of the node, or of a call inside a node. */
  readonly name: string;
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
  const checkpoint = checkpoints[path.slice(0, Math.max(0, path.lastIndexOf("|")))];
  // An error handler has the namespace of the task that failed.
  const [namespace] = Object.entries(checkpoints).find(([, one]) => one === checkpoint) ?? [];
  return typeof checkpoint === "string" && namespace !== undefined
    ? { id, name: nameIn(path), checkpoint, namespace }
    : undefined;
}

/** Returns the name of the last task of a namespace such as `agent:1f|tools:2e`. */
function nameIn(path: string): string {
  return path.slice(path.lastIndexOf("|") + 1).replace(/:.*/, "");
}

/** Tasks that compact, by the step they belong to: without a checkpointer, nothing else tells of them. */
const tasks = new Map<string, Set<string>>();
const maxSteps = 1_000;

/** Notes that a task compacts in its step. A node calls it before it waits for anything. */
export function joinStep(config: NodeConfig | undefined): void {
  const task = taskOf(config);
  if (task === undefined) return;
  const known = tasks.get(task.checkpoint) ?? new Set();
  setNewest(tasks, [task.checkpoint, known.add(task.id)], maxSteps);
}

/**
 * Returns whether another task of the same step compacts, has written to a channel, or has not ended yet. Of tasks that do not
 * compact it knows what the checkpointer knows.
 */
export async function mayOthersWrite(channel: string, config: NodeConfig | undefined): Promise<boolean> {
  const task = taskOf(config);
  if (task === undefined) return false;
  if ((tasks.get(task.checkpoint)?.size ?? 0) > 1) return true;
  const { __pregel_checkpointer: saver } = config?.configurable ?? {};
  if (typeof (saver as BaseCheckpointSaver | undefined)?.getTuple !== "function") return false;
  try {
    return await isBesideWriters(channel, { task, saver: saver as BaseCheckpointSaver, config });
  } catch {
    // A storage that does not answer does not say that the task is alone.
    return true;
  }
}

interface StoredStep {
  readonly task: Task;
  readonly saver: BaseCheckpointSaver;
  readonly config: NodeConfig | undefined;
}

async function isBesideWriters(channel: string, step: StoredStep): Promise<boolean> {
  const tuple = await storedTuple(step);
  // In the first run with the durability "exit", nothing is stored before its end, and nothing is known.
  if (tuple === undefined) return false;
  const { task, config } = step;
  const count = otherTasks(tuple, task, config);
  if (count === 0) return false;
  const isOfStep = tuple.checkpoint.id === task.checkpoint;
  const writes = (isOfStep ? (tuple.pendingWrites ?? []) : []).filter(
    ([id, name]) => id !== task.id && id !== inputTask && !unfinished.has(name),
  );
  return writes.some(([, name]) => name === channel) || new Set(writes.map(([id]) => id)).size < count;
}

/** Task id of what a run writes by its input, a `Command`: it is in the channels before the step begins. */
const inputTask = "00000000-0000-0000-0000-000000000000";

/** What a task writes that has failed or waits, so that it runs again, and what a call inside a node writes (LangGraph 1.x). */
const unfinished: ReadonlySet<string> = new Set([
  "__error__",
  "__error_source_node__",
  "__interrupt__",
  "__resume__",
  "__scheduled__",
  "__return__",
]);

/** Milliseconds between attempts to read a checkpoint that LangGraph stores while its step runs. */
const pauses = [1, 10, 50, 200];

/** Returns the checkpoint before the step. If that is not stored, returns the newest one, which knows the channels too. */
async function storedTuple({ task, saver, config }: StoredStep): Promise<CheckpointTuple | undefined> {
  const { thread_id: thread } = config?.configurable ?? {};
  const place = { thread_id: thread, checkpoint_ns: task.namespace };
  for (const ms of storesAtExit(config) ? [] : [...pauses, undefined]) {
    const tuple = await saver.getTuple({ configurable: { ...place, checkpoint_id: task.checkpoint } });
    if (tuple !== undefined) return tuple;
    if (ms !== undefined) await pause(ms);
  }
  return saver.getTuple({ configurable: place });
}

/** Returns whether a run stores its checkpoints at its end alone: LangGraph (1.x) says so of the run, and of a graph inside a node. */
function storesAtExit(config: (NodeConfig & { readonly durability?: unknown }) | undefined): boolean {
  return [config?.durability, config?.configurable?.["__pregel_durability"]].includes("exit");
}

/**
 * Returns the number of the other tasks of a step: nodes that an edge, a join of edges or a command leads to, and sends. A
 * deferred node that waits is none. The checkpoint names the channels; what leads to a task now, the running graph says.
 */
function otherTasks(
  { checkpoint, pendingWrites = [] }: CheckpointTuple,
  task: Task,
  config?: NodeConfig,
): number {
  const commanded = pendingWrites.flatMap(([id, name]) => (id === inputTask ? [name] : []));
  const names = [...Object.keys(checkpoint.channel_versions), ...commanded];
  const open = availableChannels(config, [
    ...names.filter((name) => /^(?:branch|join):/.test(name)),
    "__pregel_tasks",
  ]);
  const sends = (open["__pregel_tasks"] ?? []) as readonly { readonly node?: unknown }[];
  const nodes = new Set(
    Object.keys(open).flatMap((name) => (name === "__pregel_tasks" ? [] : [targetOf(name)])),
  );
  const { __pregel_node_error: failed } = config?.configurable ?? {};
  const own = new Set<unknown>([task.name, (failed as { readonly node?: unknown } | undefined)?.node]);
  // A call inside a node is a task that nothing leads to: the node itself is another one. An error handler is in place of its node.
  const isLedTo = [...nodes, ...sends.map(({ node }) => node)].some((name) => own.has(name));
  return nodes.size + sends.length - (isLedTo ? 1 : 0);
}

/** Returns the node behind a channel such as `branch:to:agent` and `join:one+two:agent`. */
function targetOf(channel: string): string {
  return channel.slice(channel.lastIndexOf(":") + 1);
}
