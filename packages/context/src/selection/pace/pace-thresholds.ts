/** Relative weights above which a chunk is at least brief, detailed, full. */
export interface PaceThresholds {
  readonly brief: number;
  readonly detailed: number;
  readonly full: number;
}

/** Returns `(alpha, beta, gamma) * (1 + lambda * P_t)` (PACE, 3.2 thresholds). Pure. */
export function paceThresholds(base: PaceThresholds, pressureGain: number, pressure: number): PaceThresholds {
  const factor = 1 + pressureGain * pressure;
  return { brief: base.brief * factor, detailed: base.detailed * factor, full: base.full * factor };
}
