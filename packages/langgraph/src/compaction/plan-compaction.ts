import type { BaseMessage } from "@langchain/core/messages";
import {
  applyCertified,
  cutAbove,
  defaults,
  isTriggered,
  trimCertified,
  type ContextMeasure,
  type Rewrite,
} from "@palimpsest/context";
import type { CompactionReason, SkipCause } from "../edge/context-event.js";
import type { ResolvedOptions } from "../edge/resolve-options.js";
import { agentRequest } from "./agent-request.js";
import type { HostRequest } from "./compact-input.js";
import { climb, floorOf, targetOf, type SummaryWriter } from "./ladder.js";
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
  readonly write: SummaryWriter;
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
}

/** Returns what a compaction of `messages` would change, or why it would not be applied. Writes nothing. */
export async function planCompaction(
  messages: readonly BaseMessage[],
  planning: PlanCompactionOptions,
): Promise<CompactionPlan> {
  const { reason, request } = planning;
  const options = withPins(messages, planning.options);
  const size = sizeWith(planning.measure, options);
  const before = size(messages);
  const most = before * (1 - defaults.minProgress);
  const floor = floorOf(messages, options, size);
  const refuse = (because: SkipCause, message: string): CompactionPlan => ({
    tokensBefore: before,
    tokensAfter: before,
    floorTokens: floor,
    refusal: { because, message },
  });

  if (reason === "agent" && isTooEarly({ tokens: before, messages: messages.length }, options)) {
    return refuse("too-early", `The agent asked at ${before} of ${options.contextWindow} tokens`);
  }
  const trigger = targetOf(options, 1);
  const limit = floor >= trigger && mustFree(reason, before, options) ? most : Math.min(most, trigger);
  if (request?.above === undefined && floor >= limit) {
    return refuse(
      "floor",
      `What must stay takes ${floor} of ${before} tokens: raise the trigger or shorten it`,
    );
  }
  const rewrite =
    request?.above === undefined
      ? await fold(messages, { ...planning, options, size, limit })
      : await foldAbove(messages, request.above, { ...planning, options, size, limit: most });
  if (rewrite === undefined)
    return refuse("nothing-to-fold", "The model has seen nothing that can be folded");
  const after = size(rewrite.messages);
  if (after > most) {
    return refuse("too-little-freed", `Only ${before - after} of ${before} tokens would be freed`);
  }
  return { tokensBefore: before, tokensAfter: after, floorTokens: floor, rewrite };
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
  readonly limit: number;
}

function fold(messages: readonly BaseMessage[], folding: Folding): Promise<Rewrite | undefined> {
  const { options, reason, size, write } = folding;
  const { strategy } = folding.request ?? (reason === "agent" ? agentRequest(messages) : undefined) ?? {};
  const { trigger, contextWindow } = options;
  // An overflow tells that the count or the window is wrong, but not by how much: what was refused is too large in any
  // case, so free twice as much as either asks for.
  const target =
    reason === "overflow"
      ? (defaults.settle / 2) * Math.min(targetOf(options, 1), size(messages))
      : targetOf(options, defaults.settle);
  return climb(messages, {
    options,
    reason,
    size,
    limit: folding.limit,
    tokenRatio: folding.measure.tokenRatio,
    preserveMarkers: folding.preserveMarkers ?? true,
    fits(list) {
      const tokens = size(list);
      return tokens <= target && !isTriggered(trigger, { tokens, messages: list.length, contextWindow });
    },
    cheapFirst: folding.summaryOnly !== true && (reason === "trigger" || reason === "safety-net"),
    write: strategy === "archive" ? undefined : write,
    prepared: strategy === "archive" ? undefined : folding.prepared,
  });
}

async function foldAbove(
  messages: readonly BaseMessage[],
  above: string,
  { options, reason, request, write, size, limit }: Folding,
): Promise<Rewrite | undefined> {
  const { tokenCounter, excerptTokens } = options;
  const planned = planPromoted(messages, options, cutAbove(messages, above));
  if (planned === undefined) return undefined;
  const trimmed = () => applyPlanned(planned, (plan) => trimCertified(plan, { tokenCounter, reason }));
  const written = request?.strategy === "archive" ? undefined : await write(planned.plan.region);
  if (written === undefined) return trimmed();
  const summary = applyPlanned(planned, (plan) =>
    applyCertified(plan, { ...written, reason, tokenCounter, excerptTokens }),
  );
  return size(summary.messages) <= limit ? summary : trimmed();
}
