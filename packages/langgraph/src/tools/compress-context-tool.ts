import { tool, type DynamicStructuredTool } from "@langchain/core/tools";
import { once } from "@palimpsest/context/internal";
import { z } from "zod";
import { compressContextName, requestArtifact } from "../compaction/agent-request.js";
import { refuseRequest } from "../compaction/refuse-request.js";
import type { ContextOptions } from "../options/context-options.js";
import { compactionStateOf, contextIn, type NodeState } from "../run/node-state.js";
import { resolveOptions, type ResolvedOptions } from "../options/resolve-options.js";
import { sizedForRun, underBudget } from "../run/run-options.js";
import type { NodeConfig } from "../run-config.js";
import { requireOptions } from "../options/require-options.js";
import { countAhead } from "../options/counted-ahead.js";

const schema = once(() =>
  z.object({
    strategy: z
      .enum(["summarize", "archive"])
      .optional()
      .describe(
        "summarize (if absent): earlier messages become a summary. archive: they become a pointer, when you need none.",
      ),
    preserve_markers: z
      .boolean()
      .optional()
      .describe(
        "Keep the sentences in which you showed doubt, quoted in what replaces the earlier messages; true if absent.",
      ),
    reason: z.string().trim().min(1).describe("Why this is a good moment, in a few words."),
  }),
);

const description = [
  "Compacts your context: earlier messages are archived and replaced by a summary.",
  "Good moments: a task or sub-goal is done; findings are extracted from a large result; a large input comes next;",
  "a complex piece of work begins; a decision has made earlier content irrelevant.",
  "Bad moments: in the middle of reasoning. Recent turns and the user's words always stay.",
].join(" ");

/**
 * Returns the tool with which the agent asks for a compaction. The compaction node carries it out before the agent's next step;
 * the tool itself changes nothing. It answers why nothing is compacted below `agentTrigger`, and where too much must stay.
 *
 * Its description never changes: tools come before all messages, and a change would invalidate the provider's cache and the
 * model's reasoning. The fill of the window is part of the messages: see `withContextBudget`.
 * @throws ContextError when an option cannot work.
 */
export function compressContextTool(options: ContextOptions): DynamicStructuredTool {
  requireOptions(options, "compressContextTool");
  return compressContextToolFor(resolveOptions(options));
}

/** {@link compressContextTool} for options that are resolved already. */
export function compressContextToolFor(resolved: ResolvedOptions): DynamicStructuredTool {
  async function compressContext(
    {
      strategy = "summarize",
      preserve_markers: preserveMarkers = true,
      reason,
    }: z.infer<ReturnType<typeof schema>>,
    runtime: NodeConfig & { readonly state?: NodeState | null },
  ): Promise<[text: string, artifact: Record<string, unknown> | undefined]> {
    const state = runtime.state ?? {};
    const seen = contextIn(state, resolved);
    await countAhead(resolved.tokenCounter, seen);
    // Outside a graph, or with a state of another form, only the node can decide.
    const refusal =
      seen.length === 0
        ? undefined
        : refuseRequest(
            seen,
            underBudget(sizedForRun(resolved, runtime), runtime),
            compactionStateOf(state, resolved),
          );
    if (refusal !== undefined) return [refusal, undefined];
    const asked = requestArtifact({ strategy, preserveMarkers, reason });
    return [
      "The context is compacted before your next step. Originals stay readable under /context/.",
      asked,
    ];
  }

  return tool(compressContext as never, {
    name: compressContextName,
    description,
    schema: schema(),
    responseFormat: "content_and_artifact",
  }) as DynamicStructuredTool;
}
