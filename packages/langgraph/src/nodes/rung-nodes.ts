import type { BaseMessage } from "@langchain/core/messages";
import {
  defaults,
  dropStaleReasoning,
  maskToolResults,
  truncateToolInputs,
  withIds,
  type Rewrite,
} from "@palimpsest/context";
import { requirePositive, type MaskOptions } from "@palimpsest/context/internal";
import { compact } from "../compaction/compact.js";
import { compactionDue, measureOf } from "../compaction/compaction-due.js";
import { runContext, type RunContext } from "../compaction/compaction-step.js";
import { offloadArrivalsOf } from "../compaction/offload-arrivals.js";
import { cutoffOf, withPins, withPromoted } from "../compaction/pins.js";
import { commitRewrite, holdRewrite, mustThrow, reportCounter } from "../run/commit.js";
import type { CompactionReason } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import { compactionStateOf, messagesOf, outcomeUpdate, type NodeState } from "../run/node-state.js";
import { inEpoch } from "../epochs/in-epoch.js";
import { resolveOptions, type ResolvedOptions } from "../options/resolve-options.js";
import { admitFolds } from "../run/sealed-folds.js";
import type { GraphNode } from "./compaction-node.js";
import { parseOptions } from "../options/parse-options.js";
import { surface } from "../options/surfaces.js";
import { requireChannels } from "../options/require-channels.js";
import { countAhead } from "../options/counted-ahead.js";

/** Returns what one rung would change, and why it runs; undefined if it has nothing to do. */
type PassOfState = (
  messages: readonly BaseMessage[],
  step: { readonly state: NodeState; readonly options: ResolvedOptions },
) => { readonly rewrite: Rewrite; readonly reason: CompactionReason } | undefined;

/**
 * Returns a node that archives what one pass replaces and then applies the pass. A failure leaves the messages unchanged, or
 * holds the originals in state if the context would be over the window.
 */
function passNode(resolved: ResolvedOptions, pass: PassOfState): GraphNode {
  return async function runPass(state, config) {
    requireChannels(state, config, resolved);
    const input = { messages: messagesOf(state, resolved), state: compactionStateOf(state), config };
    const outcome = await inEpoch(input, resolved, async ({ messages }) => {
      const run = runContext({ ...input, messages }, resolved);
      return { messages: run === undefined ? messages : await applyPass(messages, run) };
    });
    return outcomeUpdate(state, outcome, resolved);

    async function applyPass(messages: readonly BaseMessage[], run: RunContext) {
      const { options, report } = run;
      try {
        const named = withIds(await admitFolds(messages, run.seal));
        reportCounter(await countAhead(options.tokenCounter, named), run);
        const due = pass(named, { state, options });
        if (due === undefined || due.rewrite.folds.length === 0) return messages;
        const rewrite = dropStaleReasoning(named, due.rewrite, options.tokenCounter);
        const committed = await commitRewrite(rewrite, { ...run, reason: due.reason });
        if (committed !== undefined) return committed.messages;
        const isOver = measureOf(named, options, input.state).tokens > options.maxPromptTokens;
        return isOver ? await holdRewrite(rewrite, run) : messages;
      } catch (error) {
        if (mustThrow(error, run)) throw error;
        report.fail("compaction", error);
        return messages;
      }
    }
  };
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
  parseOptions(options, surface("maskToolResultsNode", "mask"));
  const { keepSteps = defaults.maskKeepSteps } = options;
  requirePositive("keepSteps", keepSteps);
  return passNode(resolveOptions(options), function maskResults(messages, step) {
    const { reason } = compactionDue(messages, step.options, compactionStateOf(step.state));
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
  parseOptions(options, surface("offloadLargeToolResultNode", "node"));
  const resolved = resolveOptions(options);
  return passNode(resolved, function offloadLargeToolResult(messages, { state }) {
    return {
      rewrite: offloadArrivalsOf(messages, resolved, { state: compactionStateOf(state) }),
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
  parseOptions(options, surface("truncateToolInputsNode", "node"));
  const resolved = resolveOptions(options);
  return passNode(resolved, function truncateInputs(messages, step) {
    const { reason } = compactionDue(messages, step.options, compactionStateOf(step.state));
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
  parseOptions(options, surface("summarizeWithFilesystemPreservationNode", "node"));
  const resolved = resolveOptions(options);
  return async function summarizeHistory(state, config) {
    requireChannels(state, config, resolved);
    const messages = messagesOf(state, resolved);
    const input = { messages, state: compactionStateOf(state), config, only: "summary" } as const;
    const outcome = await inEpoch(input, resolved, (valid) => compact(valid, resolved));
    return outcomeUpdate(state, outcome, resolved);
  };
}

/** Short name of {@link summarizeWithFilesystemPreservationNode}. */
export const summarizeNode = summarizeWithFilesystemPreservationNode;
