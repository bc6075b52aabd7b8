import type { BaseMessage } from "@langchain/core/messages";
import { hasBoundReasoning } from "../messages/reasoning.js";
import {
  carriesReasoning,
  nameOf,
  type Illegality,
  type LegalityRule,
  type Provider,
} from "./legality-rule.js";
import { messageImage } from "./message-image.js";
import { pairRules } from "./pair-rules.js";
import { providerRules } from "./provider-rules.js";

/** Every rule that a provider enforces. All of them hold always: a thread may change its provider. */
export const legalityRules: readonly LegalityRule[] = [...providerRules, ...pairRules];

export interface LegalityOptions {
  /** @default legalityRules */
  readonly rules?: readonly LegalityRule[];
  /** Only the rules of this provider. @default all */
  readonly provider?: Provider;
}

/**
 * Returns which rules of which providers a list of messages breaks, and where.
 *
 * Pure. Empty for a list that every provider takes. A list from the wild may break some: see `addedIllegalities`.
 */
export function legality(
  messages: readonly BaseMessage[],
  { rules = legalityRules, provider }: LegalityOptions = {},
): readonly Illegality[] {
  return rules
    .filter(({ providers }) => provider === undefined || providers.includes(provider))
    .flatMap(({ name, check }) => check(messages).map((found) => ({ rule: name, ...found })));
}

/**
 * Returns the provider rules that a list of messages breaks, one sentence each, naming message and call ids.
 *
 * Pure. The sentences of `legality`, for tests that compare lists of them.
 */
export function illegalities(messages: readonly BaseMessage[]): readonly string[] {
  return legality(messages).map(({ message }) => message);
}

/**
 * Returns the provider rules that `after` breaks and `before` did not: what a rewrite of one into the other added.
 *
 * Pure. Besides the rules of `illegalities` it knows one that needs both lists: a message that stays keeps the
 * reasoning that came before it in its tool loop, unless the model binds reasoning to its prefix: see `staleReasoning`.
 */
export function addedIllegalities(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
): readonly string[] {
  const known = new Set(illegalities(before));
  const added = illegalities(after).filter((one) => !known.has(one));
  return [...added, ...partedReasoning(before, after)];
}

/**
 * Returns the names of the messages in `after` whose reasoning was made on a prefix that `after` no longer has.
 *
 * Pure. `before` is what the model was sent last, with what came since.
 */
export function staleReasoning(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
): readonly string[] {
  const first = after.findIndex((message, index) => !isSame(message, before[index]));
  if (first < 0) return [];
  // Reasoning opens its message: what was changed in the message stands behind it.
  const opens = after[first]?.getType() === "ai" && after[first]?.id === before[first]?.id;
  return after.flatMap((message, index) =>
    index >= (opens ? first + 1 : first) && hasBoundReasoning(message) ? [nameOf(message, index)] : [],
  );
}

function isSame(one: BaseMessage, other: BaseMessage | undefined): boolean {
  return one === other || (other !== undefined && messageImage(one) === messageImage(other));
}

/** A model that binds reasoning takes a loop without any; the others want the opening of the loop they are in. */
function partedReasoning(before: readonly BaseMessage[], after: readonly BaseMessage[]): readonly string[] {
  const left = reasoningBehind(after);
  const bound = new Set(
    before.flatMap((message, at) => (hasBoundReasoning(message) ? [nameOf(message, at)] : [])),
  );
  return [...reasoningBehind(before)].flatMap(([name, reasoning]) =>
    reasoning !== undefined && !bound.has(reasoning) && left.has(name) && left.get(name) !== reasoning
      ? [`message ${name} is parted from the reasoning of ${reasoning}`]
      : [],
  );
}

/** Returns message -> message whose reasoning it continues, for each AI message without reasoning of its own. */
function reasoningBehind(messages: readonly BaseMessage[]): ReadonlyMap<string, string | undefined> {
  const behind = new Map<string, string | undefined>();
  let reasoning: string | undefined;
  messages.forEach((message, index) => {
    if (message.getType() === "human") reasoning = undefined;
    if (message.getType() !== "ai") return;
    if (carriesReasoning(message)) reasoning = nameOf(message, index);
    else behind.set(nameOf(message, index), reasoning);
  });
  return behind;
}
