import type { HostRequest } from "../compaction/compaction-facts.js";
import { previewCompaction, type CompactionPreview } from "./preview-compaction.js";
import type { ContextOptions } from "../options/context-options.js";
import { resolveOptions, withSettings } from "../options/resolve-options.js";
import { threadState, type ThreadConfig, type ThreadGraph } from "./thread-graph.js";
import { requireOptions } from "../options/require-options.js";

export interface PreviewThreadOptions extends ContextOptions {
  /** Previews what `compactThread` would do. @default what the node would do */
  readonly request?: HostRequest | undefined;
}

/**
 * Returns what a compaction of a thread would fold and save, or why it would not. Writes nothing, calls no model.
 *
 * @throws ContextError when an option cannot work.
 */
export async function previewThread(
  graph: Pick<ThreadGraph, "getState">,
  config: ThreadConfig,
  options: PreviewThreadOptions,
): Promise<CompactionPreview> {
  requireOptions(options, "previewThread");
  const { messages, compaction } = await threadState(graph, config, resolveOptions(options));
  return previewCompaction(messages, { ...withSettings(options, config), compaction });
}
