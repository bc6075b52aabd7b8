/** When to compact. The fields of one trigger must all be met; of an array of triggers, any one. */
export interface Trigger {
  /** Share of the context window, above 0 and at most 1. */
  readonly fraction?: number;
  /** Tokens in the context. */
  readonly tokens?: number;
  /** Messages in the context. */
  readonly messages?: number;
}

/** What is measured of a context, to hold a {@link Trigger} against. */
export interface ContextSize {
  readonly tokens: number;
  readonly messages: number;
  /** Tokens of the model's context window; needed by a `fraction`. */
  readonly contextWindow?: number | undefined;
}

/**
 * Returns whether a context is large enough to compact: `tokens >= fraction * contextWindow` and so on.
 *
 * Pure. A `fraction` without a context window is never met: refuse it when options are read, with `checkTrigger`.
 */
export function isTriggered(trigger: Trigger | readonly Trigger[], size: ContextSize): boolean {
  return asTriggers(trigger).some(({ fraction, tokens, messages }) => {
    const limits = [
      fraction === undefined ? undefined : [size.tokens, fraction * (size.contextWindow ?? Infinity)],
      tokens === undefined ? undefined : [size.tokens, tokens],
      messages === undefined ? undefined : [size.messages, messages],
    ].filter((limit) => limit !== undefined);
    return limits.length > 0 && limits.every(([value = 0, limit = Infinity]) => value >= limit);
  });
}

/** Returns the triggers as a list. */
export function asTriggers(trigger: Trigger | readonly Trigger[]): readonly Trigger[] {
  return Array.isArray(trigger) ? (trigger as readonly Trigger[]) : [trigger as Trigger];
}

/** Returns the lowest number of tokens at which a trigger can be met, or undefined where only messages count. */
export function triggerTokens(
  trigger: Trigger | readonly Trigger[],
  contextWindow: number | undefined,
): number | undefined {
  const limits = asTriggers(trigger).flatMap(({ fraction, tokens }) => {
    const parts = [
      ...(tokens === undefined ? [] : [tokens]),
      ...(fraction === undefined || contextWindow === undefined ? [] : [fraction * contextWindow]),
    ];
    return parts.length === 0 ? [] : [Math.max(...parts)];
  });
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** Returns the triggers with each limit multiplied by `share`. */
export function scaleTrigger(
  trigger: Trigger | readonly Trigger[],
  share: number,
): Trigger | readonly Trigger[] {
  return asTriggers(trigger).map((one) =>
    Object.fromEntries(Object.entries(one).map(([unit, limit]) => [unit, (limit as number) * share])),
  );
}

/**
 * Returns the triggers with what they say of tokens lowered by `points`, a share of the window; none falls below half
 * of what it was. Limits in messages stay.
 */
export function lowerTrigger(
  trigger: Trigger | readonly Trigger[],
  points: number,
  contextWindow: number,
): readonly Trigger[] {
  return asTriggers(trigger).map(({ fraction, tokens, ...rest }) => ({
    ...rest,
    ...(fraction === undefined ? {} : { fraction: Math.max(fraction / 2, fraction - points) }),
    ...(tokens === undefined ? {} : { tokens: Math.max(tokens / 2, tokens - points * contextWindow) }),
  }));
}
