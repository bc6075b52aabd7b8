import { listOf } from "../run/node-state.js";
import { requireOptions } from "../options/require-options.js";
import { threadIdOf, type NodeConfig } from "../run-config.js";
import type { ScopeMemory } from "./scope-memory.js";

export interface ConsolidateNodeOptions {
  readonly memory: ScopeMemory;
  /** State key with the thread's messages. @default "messages" */
  readonly inputKey?: string;
}

/**
 * Returns a node for the end of a graph: it records the turns of the thread and makes notes of what the scope has recorded. It
 * changes nothing in the state. A run without a `thread_id` or without a scope passes.
 * @throws ContextError when an option cannot work; in a run, for a thread of another scope.
 */
export function consolidateNode(options: ConsolidateNodeOptions) {
  requireOptions(options, "consolidateNode");
  const { memory, inputKey = "messages" } = options;
  return async (state: object, config: NodeConfig): Promise<Record<string, never>> => {
    const threadId = threadIdOf(config, undefined);
    const scope = threadId === undefined ? undefined : memory.scopeOf(config);
    if (threadId === undefined || scope === undefined) return {};
    await memory.record({ scope, threadId }, listOf((state as Readonly<Record<string, unknown>>)[inputKey]));
    await memory.consolidate(scope, { signal: config.signal });
    return {};
  };
}
