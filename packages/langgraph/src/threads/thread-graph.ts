import type { BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import type { CompactionState } from "../run/context-state.js";
import { compactionStateOf, contextIn, scopeOf, type NodeState, type NodeUpdate } from "../run/node-state.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { genuineMessages } from "../run/sealed-folds.js";
import { threadIdOf } from "../run-config.js";
import { countAhead } from "../options/counted-ahead.js";
import { requireThread } from "./require-thread.js";

/** The methods of a graph that read and update a thread. Every compiled graph with a checkpointer has them. */
export interface ThreadGraph {
  /** What a compiled graph has of its channels. */
  readonly channels?: Readonly<Record<string, unknown>>;
  getState(config: ThreadConfig): Promise<{ readonly values: unknown }>;
  updateState(config: ThreadConfig, update: NodeUpdate, asNode?: string): Promise<unknown>;
}

/** Config that names a thread: `{ configurable: { thread_id } }`. */
export interface ThreadConfig {
  readonly configurable: Record<string, unknown>;
}

interface ThreadState {
  readonly threadId: string | undefined;
  readonly values: NodeState;
  /** The context of the thread. */
  readonly messages: readonly BaseMessage[];
  readonly compaction: CompactionState | undefined;
}

/** Returns the state of a thread in its newest checkpoint, or in the one that `config` names. */
export async function threadState(
  graph: Pick<ThreadGraph, "getState">,
  config: ThreadConfig,
  options: ResolvedOptions,
): Promise<ThreadState> {
  requireThread(graph, config);
  const snapshot = await graph.getState(config);
  const values = snapshot.values ?? {};
  const stored = contextIn(values, options);
  const threadId = threadIdOf(config, scopeOf(values, stored));
  const messages = threadId === undefined ? stored : await genuine(threadId);
  const failure = await countAhead(options.tokenCounter, messages);
  if (failure !== undefined) throw failure;
  return {
    threadId,
    values,
    messages,
    compaction: compactionStateOf(values, options),
  };

  function genuine(id: string): Promise<readonly BaseMessage[]> {
    const archive = options.files.archive(id);
    return genuineMessages(stored, options.files.seal(id), (path) => archive.readText(path));
  }
}

interface Change {
  readonly update: NodeUpdate;
  readonly asNode?: string | undefined;
}

/** Writes an update between two runs. A channel without a reducer takes a plain list, and an overwrite would be its value. */
export async function writeThread(
  graph: ThreadGraph,
  config: ThreadConfig,
  { update, asNode }: Change,
): Promise<void> {
  const entries = Object.entries(update).map(([key, value]) => {
    const { lc_graph_name: kind } = (graph.channels?.[key] ?? {}) as { readonly lc_graph_name?: unknown };
    return [key, kind === "LastValue" && Overwrite.isInstance(value) ? value.value : value] as const;
  });
  await graph.updateState(config, Object.fromEntries(entries), asNode);
}
