import type { BaseMessage } from "@langchain/core/messages";
import { defaults, maskToolResults, truncateToolInputs, type Rewrite } from "@palimpsest/context";
import { requirePositive, type MaskOptions } from "@palimpsest/context/internal";
import { ladder } from "../compaction/compact.js";
import { compactionDue } from "../compaction/compaction-due.js";
import { offloadArrivalsOf } from "../compaction/offload-arrivals.js";
import { cutoffOf } from "../compaction/cutoff.js";
import { withPins, withPromoted } from "../compaction/pins.js";
import type { CompactionReason } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import { resolveOptions, type ResolvedOptions } from "../options/resolve-options.js";
import type { Step } from "../run/step.js";
import { stepNode, type GraphNode } from "./step-node.js";
import { requireOptions } from "../options/require-options.js";

/** Returns what one rung would change, and why it runs; undefined if it has nothing to do. Messages have ids. */
type Rung = (
  messages: readonly BaseMessage[],
  step: Step,
) => { readonly rewrite: Rewrite; readonly reason: CompactionReason } | undefined;

/** Returns a node that runs one rung of the ladder. */
function rungNode(resolved: ResolvedOptions, rung: Rung): GraphNode {
  return stepNode(resolved, async function runRung(step) {
    const due = rung(step.nameMessages(), step);
    if (due !== undefined && due.rewrite.folds.length > 0)
      await step.apply(step.valid(due.rewrite), due.reason);
    return undefined;
  });
}

/**
 * Returns the options with one predicate for everything that stays verbatim, and the index of the first message that `keep`
 * covers.
 */
function pinsOf(messages: readonly BaseMessage[], options: ResolvedOptions) {
  const cut = cutoffOf(messages, options);
  return { pinned: withPromoted(messages, withPins(messages, options), cut), cut };
}

/**
 * Returns a node that replaces each tool result of old steps by one line, once the trigger is met.
 *
 * @throws ContextError when an option cannot work.
 */
export function maskToolResultsNode(options: ContextOptions & Pick<MaskOptions, "keepSteps">): GraphNode {
  requireOptions(options, "maskToolResultsNode");
  const { keepSteps = defaults.maskKeepSteps } = options;
  requirePositive("keepSteps", keepSteps);
  return rungNode(resolveOptions(options), function maskResults(messages, step) {
    const { reason } = compactionDue(messages, step.options, step.known);
    if (reason === undefined) return undefined;
    const { pinned } = pinsOf(messages, step.options);
    return { rewrite: maskToolResults(messages, { ...pinned, keepSteps }), reason };
  });
}

/**
 * Returns a node that moves large tool results to the archive; put it between the tools and the model.
 *
 * The model sees path, size, kind and the first lines. To keep a huge result out of the checkpoints altogether, use
 * `offloadTools`.
 * @throws ContextError when an option cannot work.
 */
export function offloadLargeToolResultNode(options: ContextOptions): GraphNode {
  requireOptions(options, "offloadLargeToolResultNode");
  const resolved = resolveOptions(options);
  return rungNode(resolved, function offloadLargeToolResult(messages, { input, options }) {
    return {
      rewrite: offloadArrivalsOf(messages, options, { state: input.state }),
      reason: "arrival",
    };
  });
}

/**
 * Returns a node that replaces large arguments of old tool calls by pointers, once the trigger is met.
 *
 * Calls inside `keep` stay. Each call changes only once, so the prompt prefix is stable afterwards.
 * @throws ContextError when an option cannot work.
 */
export function truncateToolInputsNode(options: ContextOptions): GraphNode {
  requireOptions(options, "truncateToolInputsNode");
  const resolved = resolveOptions(options);
  return rungNode(resolved, function truncateInputs(messages, step) {
    const { reason } = compactionDue(messages, step.options, step.known);
    if (reason === undefined) return undefined;
    const { pinned, cut: end } = pinsOf(messages, step.options);
    return { rewrite: truncateToolInputs(messages, { ...pinned, end }), reason };
  });
}

/**
 * Returns a node that summarizes the older part of the context, once the trigger is met, and keeps the originals in
 * the archive: complete (`.jsonl`) and readable (`.md`) under `/context/history/`.
 *
 * @throws ContextError when an option cannot work.
 */
export function summarizeWithFilesystemPreservationNode(options: ContextOptions): GraphNode {
  requireOptions(options, "summarizeWithFilesystemPreservationNode");
  return stepNode(resolveOptions(options), ladder({ only: "summary" }));
}

/** Short name of {@link summarizeWithFilesystemPreservationNode}. */
export const summarizeNode = summarizeWithFilesystemPreservationNode;
