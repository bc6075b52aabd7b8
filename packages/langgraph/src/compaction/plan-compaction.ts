import type { BaseMessage } from "@langchain/core/messages";
import {
  applyCertified,
  defaults,
  dropStaleReasoning,
  isTriggered,
  shrinkToFit,
  trimCertified,
  type Rewrite,
} from "@palimpsest/context";
import {
  cutAbove,
  overflowParts,
  unchanged,
  type ContextMeasure,
  type OverflowPart,
} from "@palimpsest/context/internal";
import type { CompactionReason, SkipCause } from "../edge/context-event.js";
import type { ResolvedOptions } from "../edge/resolve-options.js";
import { agentRequest } from "./agent-request.js";
import type { HostRequest } from "./compact-input.js";
import { climb, joinRewrites, leastContext, targetOf, type SummaryWriter } from "./ladder.js";
import { isTooEarly } from "./refuse-request.js";
import { applyPlanned, planPromoted, withPins } from "./with-pins.js";
import type { PreparedSummary } from "./write-summary.js";

interface PlanCompactionOptions {
  readonly options: ResolvedOptions;
  readonly measure: ContextMeasure;
  readonly reason: Exclude<CompactionReason, "arrival">;
  readonly request?: HostRequest | undefined;
  /** Goes straight to the summary. @default false */
  readonly summaryOnly?: boolean;
  /** Lists the agent's phrases of doubt in what stands for the folded messages. @default true */
  readonly preserveMarkers?: boolean;
  /** Returns what stands for a region; without one it goes to the archive with a note. */
  readonly write: SummaryWriter | undefined;
  readonly prepared?: PreparedSummary | undefined;
}

/** What a compaction would come to; tokens of the whole prompt. */
export interface CompactionPlan {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The fewest tokens that any compaction could leave. */
  readonly floorTokens: number;
  /** Undefined when nothing is worth applying: then `refusal` says why. */
  readonly rewrite?: Rewrite;
  readonly refusal?: { readonly because: SkipCause; readonly message: string };
  /** What the prompt consists of where it stays over the window; undefined where it fits. */
  readonly overflow?: readonly OverflowPart[];
}

/** Returns what a compaction of `messages` would change, or why it would not be applied. Writes nothing. */
export async function planCompaction(
  messages: readonly BaseMessage[],
  planning: PlanCompactionOptions,
): Promise<CompactionPlan> {
  const { reason, request, measure } = planning;
  const options = withPins(messages, planning.options);
  const limits = limitsOf(messages, { ...planning, options });
  const { size, before, floor, most, useful, window } = limits;
  const { maxPromptTokens, contextWindow } = options;
  const isOver = measure.tokens > maxPromptTokens;
  const refuse = (because: SkipCause, message: string): CompactionPlan => ({
    tokensBefore: before,
    tokensAfter: before,
    floorTokens: floor,
    refusal: { because, message },
    ...(isOver ? { overflow: overflowParts(messages, { ...options, measure }) } : {}),
  });

  if (reason === "agent" && isTooEarly({ tokens: before, messages: messages.length }, options)) {
    return refuse("too-early", `The agent asked at ${before} of ${contextWindow} tokens`);
  }
  if (request?.above === undefined && floor >= useful && !(isOver && floor <= maxPromptTokens)) {
    const message = `What must stay takes ${floor} of ${before} tokens: raise the trigger or shorten it`;
    return refuse("floor", message);
  }
  const folding = { ...planning, options, size, window };
  const folded =
    request?.above === undefined
      ? await fold(messages, { ...folding, limit: Math.min(useful, window) })
      : await foldAbove(messages, request.above, { ...folding, limit: most });
  if (folded.folds.length === 0)
    return refuse("nothing-to-fold", "The model has seen nothing that can be folded");
  const rewrite = dropStaleReasoning(messages, folded, options.tokenCounter);
  const after = size(rewrite.messages);
  if (after > most && !(isOver && after <= maxPromptTokens)) {
    return refuse("too-little-freed", `Only ${before - after} of ${before} tokens would be freed`);
  }
  const plan = { tokensBefore: before, tokensAfter: after, floorTokens: floor, rewrite };
  return after <= maxPromptTokens
    ? plan
    : { ...plan, overflow: overflowParts(rewrite.messages, { ...options, measure }) };
}

/** Returns the sizes that a compaction is held against, in tokens of the whole prompt. */
function limitsOf(messages: readonly BaseMessage[], { measure, reason, options }: PlanCompactionOptions) {
  const size = sizeWith(measure, options);
  const before = size(messages);
  const most = before * (1 - defaults.minProgress);
  // What a provider refused is over its window, whatever the options say that window is.
  const window = reason === "overflow" ? Math.min(options.maxPromptTokens, most) : options.maxPromptTokens;
  const least = shrink(leastContext(messages, options), { measure, options, target: 0, window });
  const floor = size(least.messages);
  const trigger = targetOf(options, 1);
  const useful = floor >= trigger && mustFree(reason, before, options) ? most : Math.min(most, trigger);
  return { size, before, most, window, floor, useful };
}

interface Shrinking {
  readonly measure: ContextMeasure;
  readonly options: ResolvedOptions;
  readonly target: number;
  readonly window: number;
}

function shrink(messages: readonly BaseMessage[], { options, ...goals }: Shrinking): Rewrite {
  return shrinkToFit(messages, { ...options, ...goals });
}

/** Returns what counts whole prompts on the provider's scale. */
export function sizeWith({ overheadTokens, tokenRatio }: ContextMeasure, options: ResolvedOptions) {
  return (messages: readonly BaseMessage[]): number =>
    overheadTokens + Math.ceil(tokenRatio * options.tokenCounter(messages));
}

/** True when a shorter context helps even where it stays above the trigger. */
function mustFree(reason: CompactionReason, tokens: number, { contextWindow }: ResolvedOptions): boolean {
  if (reason === "overflow" || reason === "agent" || reason === "user") return true;
  return tokens >= defaults.safetyTrigger.fraction * contextWindow;
}

interface Folding extends PlanCompactionOptions {
  readonly size: (messages: readonly BaseMessage[]) => number;
  /** Tokens above which the ladder goes on to a rung that costs more. */
  readonly limit: number;
  /** Tokens over which also what the model has not seen is shortened. */
  readonly window: number;
}

/** Returns the rewrite of the ladder; where that leaves too much, with single large messages shortened behind it. */
async function fold(messages: readonly BaseMessage[], folding: Folding): Promise<Rewrite> {
  const { options, reason, measure, size, limit, window, write } = folding;
  const { strategy } = folding.request ?? (reason === "agent" ? agentRequest(messages) : undefined) ?? {};
  const { trigger, contextWindow } = options;
  // An overflow tells that the count or the window is wrong, but not by how much: what was refused is too large in any
  // case, so free twice as much as either asks for.
  const target =
    reason === "overflow"
      ? (defaults.settle / 2) * Math.min(targetOf(options, 1), size(messages))
      : targetOf(options, defaults.settle);
  const made = await climb(messages, {
    options,
    reason,
    size,
    limit,
    tokenRatio: measure.tokenRatio,
    preserveMarkers: folding.preserveMarkers ?? true,
    fits(list) {
      const tokens = size(list);
      return tokens <= target && !isTriggered(trigger, { tokens, messages: list.length, contextWindow });
    },
    shrink: (list) => shrink(list, { measure, options, target, window: Infinity }),
    cheapFirst: folding.summaryOnly !== true && (reason === "trigger" || reason === "safety-net"),
    write: strategy === "archive" ? undefined : write,
    prepared: strategy === "archive" ? undefined : folding.prepared,
  });
  const bound = folding.summaryOnly === true ? Math.max(limit, window) : limit;
  return shrunk(made ?? unchanged(messages), { ...folding, limit: bound }, target);
}

async function foldAbove(
  messages: readonly BaseMessage[],
  above: string,
  folding: Folding,
): Promise<Rewrite> {
  const { options, reason, request, write, size, limit, window } = folding;
  const { tokenCounter, excerptTokens } = options;
  const planned = planPromoted(messages, options, cutAbove(messages, above));
  if (planned === undefined) return unchanged(messages);
  const trimmed = () => applyPlanned(planned, (plan) => trimCertified(plan, { tokenCounter, reason }));
  const written = request?.strategy === "archive" ? undefined : await write?.(planned.plan.region);
  const summary =
    written &&
    applyPlanned(planned, (plan) =>
      applyCertified(plan, { ...written, reason, tokenCounter, excerptTokens }),
    );
  const made = summary !== undefined && size(summary.messages) <= limit ? summary : trimmed();
  return shrunk(made, { ...folding, limit: window }, window);
}

/** Returns a rewrite that is over its limit with single large messages shortened as well. */
function shrunk(made: Rewrite, { size, limit, measure, options, window }: Folding, target: number): Rewrite {
  if (size(made.messages) <= limit) return made;
  return joinRewrites(made, shrink(made.messages, { measure, options, target, window }));
}
