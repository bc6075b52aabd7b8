import type { OverflowPart } from "@palimpsest/context/internal";
import type { CompactionReason } from "../context-event.js";
import type { CompactionState } from "./context-state.js";
import type { Reporter } from "./reporter.js";
import type { ResolvedOptions } from "../options/resolve-options.js";

/** The result of a compaction. Tokens are those of the whole prompt. */
interface SizedPlan {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Parts of the prompt if it stays over the window. */
  readonly overflow?: readonly OverflowPart[];
  /** Undefined if the context is unchanged. */
  readonly rewrite?: unknown;
}

interface OverflowReport {
  readonly options: ResolvedOptions;
  readonly report: Reporter;
  readonly reason: CompactionReason;
  readonly known: CompactionState | undefined;
}

/** Factor by which a prompt has to grow before the same overflow is reported again. */
const growth = 1.05;

/**
 * Sends `context.overflow` for a plan that leaves the prompt over the window, and returns the update of the state.
 *
 * A reason is reported once, and again when the prompt has grown. A compaction that ends over the window is reported every
 * time, because it has no other event.
 */
export function reportOverflow(
  { overflow, tokensBefore, tokensAfter, rewrite }: SizedPlan,
  { options, report, reason, known }: OverflowReport,
): Pick<CompactionState, "overflow"> {
  const [largest] = overflow ?? [];
  const earlier = known?.overflow;
  if (overflow === undefined || largest === undefined)
    return earlier === undefined ? {} : { overflow: undefined };
  const isNews = earlier?.reason !== largest.reason || tokensAfter > earlier.tokens * growth;
  if (rewrite === undefined && !isNews) return {};
  const { threadId } = report;
  const window = options.maxPromptTokens;
  const listed = overflow.map((part) => `${part.reason} ${part.tokens}`).join(", ");
  const message =
    `The prompt takes ${tokensAfter} tokens of a window of ${window}, and no part of it can be shortened further ` +
    `(${listed}): use a model with a larger window, or reduce the parts that cannot be folded`;
  const sizes = { tokensBefore, tokens: tokensAfter, window, parts: overflow };
  report.send({ type: "context.overflow", reason, ...sizes, message, threadId });
  return { overflow: { reason: largest.reason, tokens: tokensAfter } };
}
