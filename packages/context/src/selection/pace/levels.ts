/** How much of a past step is sent: its whole content, a summary, one or two sentences, or nothing but its place. */
export type PaceLevel = "full" | "detailed" | "brief" | "placeholder";

/** Relative weights above which a step is at least brief (alpha), detailed (beta), full (gamma). */
export interface PaceThresholds {
  readonly brief: number;
  readonly detailed: number;
  readonly full: number;
}

/** Constants of PACE as published (ACL 2026 long 1252). Each is the default of an option. */
export const paceDefaults = {
  /** Newest steps that stay whole and make up the query, N. */
  recent: 2,
  /** Softmax temperature, tau. */
  temperature: 0.3,
  /** How far pressure raises the thresholds, lambda. */
  pressureGain: 0.5,
  /** Alpha, beta, gamma. */
  thresholds: { brief: 0.4, detailed: 0.8, full: 1.5 },
  /** Tokens of the window, B_max. */
  budget: 128_000,
  /** Steps of a task, T_max. The paper uses the 95th percentile of its validation tasks and gives no number. */
  maxSteps: 100,
  /** Characters of a text that is embedded, L_max. The paper gives no number. */
  encodedCharacters: 8_000,
  /** Glimpses of one step. */
  glimpses: 3,
};

export interface PressureFacts {
  /** Number of the next step, t. */
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

/** Returns `(alpha, beta, gamma) * (1 + lambda * P_t)` (PACE, 3.2 thresholds). Pure. */
export function paceThresholds(base: PaceThresholds, pressureGain: number, pressure: number): PaceThresholds {
  return raiseThresholds(base, 1 + pressureGain * pressure);
}

/** Returns the thresholds multiplied by `factor`. Pure. */
export function raiseThresholds({ brief, detailed, full }: PaceThresholds, factor: number): PaceThresholds {
  return { brief: brief * factor, detailed: detailed * factor, full: full * factor };
}

/**
 * Returns the level of a step with this relative weight; a weight equal to a threshold gets the lower level (PACE, 3.2
 * selection). Pure.
 */
export function paceLevel(relativeWeight: number, { brief, detailed, full }: PaceThresholds): PaceLevel {
  if (relativeWeight > full) return "full";
  if (relativeWeight > detailed) return "detailed";
  return relativeWeight > brief ? "brief" : "placeholder";
}
