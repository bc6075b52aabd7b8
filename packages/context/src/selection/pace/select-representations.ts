import { contextPressure, type PressureFacts } from "./context-pressure.js";
import { cosine } from "./cosine.js";
import { paceDefaults } from "./pace-defaults.js";
import type { PaceLevel } from "./pace-chunk.js";
import { paceLevel } from "./pace-level.js";
import { paceThresholds, type PaceThresholds } from "./pace-thresholds.js";
import { relativeWeights } from "./relative-weights.js";
import { softmaxWeights } from "./softmax-weights.js";

export interface SelectRepresentationsOptions extends PressureFacts {
  /** @default 0.3 */
  readonly temperature?: number;
  /** @default 0.5 */
  readonly pressureGain?: number;
  /** @default 0.4, 0.8, 1.5 */
  readonly thresholds?: PaceThresholds;
}

/** Why a chunk has its level. */
export interface PaceRating {
  readonly similarity: number;
  /** 1 is the average. */
  readonly relativeWeight: number;
  readonly level: PaceLevel;
}

/** Returns the level of each chunk for the next step, as published (PACE, 3.2). Pure. The budget enters by pressure alone. */
export function selectRepresentations(
  query: readonly number[],
  keys: readonly (readonly number[])[],
  options: SelectRepresentationsOptions,
): readonly PaceRating[] {
  const { temperature = paceDefaults.temperature, pressureGain = paceDefaults.pressureGain } = options;
  const similarities = keys.map((key) => cosine(query, key));
  const relative = relativeWeights(softmaxWeights(similarities, temperature));
  const base = options.thresholds ?? paceDefaults.thresholds;
  const thresholds = paceThresholds(base, pressureGain, contextPressure(options));
  return relative.map((relativeWeight, at) => ({
    similarity: similarities[at] ?? 0,
    relativeWeight,
    level: paceLevel(relativeWeight, thresholds),
  }));
}
