/** How much of the newest context a compaction leaves as it is. Where more than one is given, the larger holds. */
export interface Keep {
  /** At most so many tokens. */
  readonly tokens?: number;
  /** At most this share of the context window. */
  readonly fraction?: number;
  /** At least so many messages. */
  readonly messages?: number;
  /** At least so many turns: messages of the model, each with its results. */
  readonly turns?: number;
}

/** Returns the tokens that a keep allows, or undefined when it counts messages or turns alone. */
export function keepTokens(
  { tokens, fraction }: Keep,
  contextWindow: number | undefined,
): number | undefined {
  const limits = [
    ...(tokens === undefined ? [] : [tokens]),
    ...(fraction === undefined ? [] : [fraction * (contextWindow ?? Infinity)]),
  ];
  return limits.length === 0 ? undefined : Math.max(...limits);
}
