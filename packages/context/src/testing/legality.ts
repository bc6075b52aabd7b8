import type { BaseMessage } from "@langchain/core/messages";
import type { Illegality, LegalityRule, Provider } from "./legality-rule.js";
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
