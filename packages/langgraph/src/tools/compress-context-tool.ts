import { tool } from "@langchain/core/tools";
import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { compressContextName, requestArtifact } from "../compaction/agent-request.js";
import { measureOf } from "../compaction/compaction-due.js";
import type { ContextOptions } from "../context-options.js";
import { resolveOptions } from "../resolve-options.js";
import type { CompactionState } from "../state/compaction-state.js";

export interface CompressContextToolOptions extends ContextOptions {
  /** The context of the next model call: with it the description states how full the window is. */
  readonly messages?: readonly BaseMessage[];
  /** The state's `compaction`, which makes the fill exact after a compaction. */
  readonly compaction?: CompactionState | undefined;
}

const schema = z.object({
  strategy: z
    .enum(["summarize", "archive"])
    .default("summarize")
    .describe(
      "summarize: earlier messages become a summary. archive: they become a pointer, when you need none.",
    ),
  preserve_markers: z
    .boolean()
    .default(true)
    .describe("Keep the phrases by which you showed doubt in the earlier messages."),
  reason: z.string().trim().min(1).describe("Why this is a good moment, in a few words."),
});

/**
 * Returns the tool by which the agent asks for a compaction. The compaction node carries it out before the agent's
 * next step; the tool itself changes nothing.
 *
 * The fill in the description is rounded to tens, so that it changes the prompt's prefix rarely.
 * @throws ContextError when an option cannot work.
 */
export function compressContextTool(options: CompressContextToolOptions) {
  const resolved = resolveOptions(options);
  const { messages, compaction } = options;
  const fill =
    messages === undefined
      ? undefined
      : (100 * measureOf(messages, resolved, compaction).tokens) / resolved.contextWindow;
  return tool(
    ({ strategy, preserve_markers: preserveMarkers, reason }) => [
      "The context is compacted before your next step. Originals stay readable under /context/.",
      requestArtifact({ strategy, preserveMarkers, reason }),
    ],
    {
      name: compressContextName,
      description: [
        "Compacts your context: earlier messages are archived and replaced by a summary.",
        "Good moments: a sub-goal is done, findings are extracted, a large input comes next, the plan has changed.",
        "Bad moments: in the middle of reasoning. Recent turns and the user's words always stay.",
        ...(fill === undefined ? [] : [`The context is about ${Math.round(fill / 10) * 10} % full.`]),
      ].join(" "),
      schema,
      responseFormat: "content_and_artifact",
    },
  );
}
