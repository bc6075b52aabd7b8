import type { BaseMessage } from "@langchain/core/messages";
import { defaults, isTriggered, shrinkToFit } from "@palimpsest/context";
import { once } from "@palimpsest/context/internal";
import { triggerSize } from "../options/resolve-options.js";
import { sizeWith } from "../run/measure.js";
import type { CompactionFacts } from "./compaction-facts.js";
import { widestPlan } from "./cutoff.js";

/** The limits of a compaction, in tokens of the whole prompt. */
export interface Limits {
  readonly size: (messages: readonly BaseMessage[]) => number;
  /** Returns true for a context that is short enough for the ladder to stop. */
  readonly fits: (messages: readonly BaseMessage[]) => boolean;
  readonly tokensBefore: number;
  /** Returns the fewest tokens that any compaction could leave. Few compactions come near it, and it takes a shortened context. */
  readonly minimumTokens: () => number;
  /** Returns whether every compaction leaves as many tokens. */
  readonly alwaysLeaves: (tokens: number) => boolean;
  /** Tokens above which a compaction frees too little to be applied. */
  readonly maxTokensAfter: number;
  /** Tokens above which a compaction is useless: usually the trigger. */
  readonly maxUsefulTokens: number;
  /** Tokens above which the next, shorter way to apply a summary is tried. */
  readonly maxSummaryTokens: number;
  /** Tokens above which single large messages are shortened as well. */
  readonly shrinkAbove: number;
  /** Tokens at which the ladder stops. */
  readonly target: number;
  /** Tokens above which messages that the model has not seen are shortened as well. */
  readonly window: number;
}

/** Returns the limits of a compaction. Pure. */
export function limitsOf(facts: CompactionFacts): Limits {
  const { messages, options, measure, reason, above, summaryOnly } = facts;
  const { trigger, contextWindow, maxPromptTokens } = options;
  const size = sizeWith(measure, options);
  const tokensBefore = size(messages);
  // Progress is a share of what can be folded: the overhead stays whatever is folded, and may be reported wrong.
  const maxTokensAfter = tokensBefore - defaults.minProgress * (tokensBefore - measure.overheadTokens);
  // A prompt that the provider refused is over its window, whatever window the options state.
  const window = reason === "overflow" ? Math.min(maxPromptTokens, maxTokensAfter) : maxPromptTokens;
  const required = requiredMessages(facts);
  const requiredTokens = size(required);
  const minimumTokens = once(() =>
    size(shrinkToFit(required, { ...options, measure, target: 0, window }).messages),
  );
  const alwaysLeaves = (tokens: number) => requiredTokens >= tokens && minimumTokens() >= tokens;
  const atTrigger = triggerSize(options, 1);
  const isAboveTrigger = mustFree(facts, tokensBefore) && alwaysLeaves(atTrigger);
  const maxUsefulTokens = isAboveTrigger ? maxTokensAfter : Math.min(maxTokensAfter, atTrigger);
  const limit = Math.min(maxUsefulTokens, window);
  const target = above === undefined ? targetTokens(facts, tokensBefore) : window;
  return {
    size,
    fits(list) {
      const tokens = size(list);
      return tokens <= target && !isTriggered(trigger, { tokens, messages: list.length, contextWindow });
    },
    tokensBefore,
    minimumTokens,
    alwaysLeaves,
    maxTokensAfter,
    maxUsefulTokens,
    maxSummaryTokens: above === undefined ? limit : maxTokensAfter,
    shrinkAbove: above !== undefined ? window : summaryOnly ? Math.max(limit, window) : limit,
    target,
    window,
  };
}

/** Returns what every compaction leaves: leading system messages, pins, the user's words, and what the model has not seen. */
function requiredMessages({ messages, options }: CompactionFacts): readonly BaseMessage[] {
  const plan = widestPlan(messages, options);
  return plan === undefined ? messages : [...plan.head, ...plan.carried, ...plan.tail];
}

function targetTokens({ options, reason }: CompactionFacts, tokensBefore: number): number {
  if (reason !== "overflow") return triggerSize(options, defaults.targetFraction);
  // An overflow shows that the count or the window is wrong, but not by how much: free twice as much as either asks for.
  return (defaults.targetFraction / 2) * Math.min(triggerSize(options, 1), tokensBefore);
}

/** Returns true if a shorter context helps even above the trigger. */
function mustFree({ reason, options }: CompactionFacts, tokens: number): boolean {
  if (reason === "overflow" || reason === "agent" || reason === "user") return true;
  return tokens >= defaults.safetyTrigger.fraction * options.contextWindow;
}
