export interface PressureFacts {
  /** Step that comes, t. */
  readonly step: number;
  /** T_max: the 95th percentile of the steps that tasks take. */
  readonly maxSteps: number;
  /** Tokens of the previous context; of the first one, the system prompt and the query. */
  readonly tokens: number;
  /** B_max, tokens. */
  readonly budget: number;
}

/** Returns `P_t = max(t / T_max, tokens(C_{t-1}) / B_max)`, at most 1 (PACE, 3.2 pressure). Pure. */
export function contextPressure({ step, maxSteps, tokens, budget }: PressureFacts): number {
  return Math.min(1, Math.max(step / maxSteps, tokens / budget));
}
