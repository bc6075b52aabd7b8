import { compact } from "../compaction/compact.js";
import type { ContextOptions } from "../context-options.js";
import { compactionStateOf, messagesOf, outcomeUpdate } from "../node-state.js";
import { resolveOptions } from "../resolve-options.js";
import type { GraphNode } from "./compaction-node.js";

/**
 * Returns a node that summarizes the older part of the context, once the trigger is met, and keeps the originals in
 * the archive: complete (`.jsonl`) and readable (`.md`) under `/context/history/`.
 *
 * @throws ContextError when an option cannot work.
 */
export function summarizeWithFilesystemPreservationNode(options: ContextOptions): GraphNode {
  const resolved = resolveOptions(options);
  return async function summarizeHistory(state, config) {
    const messages = messagesOf(state, resolved);
    const input = { messages, state: compactionStateOf(state), config, only: "summary" } as const;
    return outcomeUpdate(state, await compact(input, resolved), resolved);
  };
}
