import { ContextError, type Fold } from "@palimpsest/context";
import { ladder } from "../compaction/compact.js";
import type { HostRequest } from "../compaction/compaction-facts.js";
import type { ContextEvent, SkipReason } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import { outcomeUpdate } from "../run/node-state.js";
import { runStep } from "../run/run-step.js";
import { resolveOptions } from "../options/resolve-options.js";
import { threadState, writeThread, type ThreadConfig, type ThreadGraph } from "./thread-graph.js";
import { requireOptions } from "../options/require-options.js";

export interface CompactThreadOptions extends ContextOptions, HostRequest {
  /** Node that the state update is attributed to. @default the one that ran last */
  readonly asNode?: string | undefined;
}

export interface CompactedThread {
  readonly applied: boolean;
  readonly folds: readonly Fold[];
  /** Why nothing was folded; undefined if something was, or if a failure was reported to `onEvent`. */
  readonly reason?: SkipReason;
  readonly message?: string;
}

/**
 * Compacts a thread between two runs, whatever its size: everything outside `keep`, or with `above` everything above a message.
 * Writes a new checkpoint; earlier ones stay.
 *
 * @throws ContextError if an option cannot work; `unknown-message` if `above` is not in the context.
 */
export async function compactThread(
  graph: ThreadGraph,
  config: ThreadConfig,
  given: CompactThreadOptions,
): Promise<CompactedThread> {
  requireOptions(given, "compactThread");
  const { asNode, strategy, above, ...options } = given;
  const events: ContextEvent[] = [];
  const resolved = resolveOptions({
    ...options,
    onEvent(event) {
      events.push(event);
      return options.onEvent?.(event);
    },
  });
  const { messages, compaction, values } = await threadState(graph, config, resolved);
  if (above !== undefined && !messages.some(({ id }) => id === above)) {
    throw new ContextError(
      "unknown-message",
      `above is ${JSON.stringify(above)}, which is not a message of the context: pass the id of one`,
    );
  }
  const input = { messages, state: compaction, config, isBetweenRuns: true };
  const outcome = await runStep(input, resolved, ladder({ request: { strategy, above } }));
  const applied = outcome.messages !== messages;
  if (applied) await writeThread(graph, config, { update: outcomeUpdate(values, outcome, resolved), asNode });
  const skipped = events.find((event) => event.type === "context.skip");
  return {
    applied,
    folds: events.flatMap((event) => (event.type === "context.fold" ? [event.fold] : [])),
    ...(skipped === undefined ? {} : { reason: skipped.reason, message: skipped.message }),
  };
}
