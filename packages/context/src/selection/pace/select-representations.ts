import {
  contextPressure,
  paceDefaults,
  paceLevel,
  paceThresholds,
  type PaceLevel,
  type PaceThresholds,
  type PressureFacts,
} from "./levels.js";
import { cosine, relativeWeights, softmaxWeights, type TextVector } from "./weights.js";

export interface SelectRepresentationsOptions extends PressureFacts {
  /** @default 0.3 */
  readonly temperature?: number;
  /** @default 0.5 */
  readonly pressureGain?: number;
  /** @default 0.4, 0.8, 1.5 */
  readonly thresholds?: PaceThresholds;
}

/** Why a step has its level. */
export interface PaceRating {
  readonly similarity: number;
  /** 1 is the average. */
  readonly relativeWeight: number;
  readonly level: PaceLevel;
}

/** The facts that determine the levels of the steps. */
export interface RatedSteps {
  readonly ratings: readonly PaceRating[];
  /** P_t, from 0 to 1. */
  readonly pressure: number;
  /** Alpha, beta and gamma at that pressure. */
  readonly thresholds: PaceThresholds;
}

/** Returns the level of each past step, as published (PACE, 3.2): the budget has an effect only through the pressure. Pure. */
export function selectRepresentations(
  query: TextVector,
  keys: readonly TextVector[],
  options: SelectRepresentationsOptions,
): readonly PaceRating[] {
  return rateSimilarities(
    keys.map((key) => cosine(query, key)),
    options,
  ).ratings;
}

/** Returns the level of each past step from its similarity to the query, with the facts that determined it. Pure. */
export function rateSimilarities(
  similarities: readonly number[],
  options: SelectRepresentationsOptions,
): RatedSteps {
  const { temperature = paceDefaults.temperature, pressureGain = paceDefaults.pressureGain } = options;
  const relative = relativeWeights(softmaxWeights(similarities, temperature));
  const pressure = contextPressure(options);
  const thresholds = paceThresholds(options.thresholds ?? paceDefaults.thresholds, pressureGain, pressure);
  const ratings = relative.map((relativeWeight, at) => ({
    similarity: similarities[at] ?? 0,
    relativeWeight,
    level: paceLevel(relativeWeight, thresholds),
  }));
  return { ratings, pressure, thresholds };
}

/** Tokens of a step at each level. A placeholder takes none, because its range is named anyway. */
export interface RepresentationTokens {
  readonly full: number;
  readonly detailed: number;
  readonly brief: number;
}

export interface FitRepresentationsOptions {
  /** Alpha, beta, gamma, with the pressure in them. */
  readonly thresholds: PaceThresholds;
  /** Tokens of each step, in the order of the weights. */
  readonly tokens: readonly RepresentationTokens[];
  /** Tokens that all steps together may take. */
  readonly limit: number;
}

export interface FittedRepresentations {
  readonly levels: readonly PaceLevel[];
  /** Factor by which the thresholds were multiplied; 1 if the published levels fit. */
  readonly raised: number;
  /** Tokens of all steps at these levels; at most `limit`, which is 0 or more. */
  readonly total: number;
}

const ranks = ["placeholder", "brief", "detailed", "full"] as const;

/**
 * Returns levels of the steps that fit into a number of tokens, which the paper does not limit: all thresholds rise by the same
 * factor until the levels fit. Remaining tokens go to the heaviest steps below their published level. Pure.
 *
 * No step is above its published level, and of two steps that cost the same the heavier one is not below the other. Of two
 * equal weights the older step loses its level first. A weight of `Infinity` loses its level after all others.
 */
export function fitRepresentations(
  weights: readonly number[],
  { thresholds, tokens, limit }: FitRepresentationsOptions,
): FittedRepresentations {
  const published = Uint8Array.from(weights, (weight) => ranks.indexOf(paceLevel(weight, thresholds)));
  const current = published.slice();
  // Four numbers a step, by rank.
  const costs = new Float64Array(4 * weights.length);
  tokens.forEach(({ brief, detailed, full }, at) => {
    costs[4 * at + 1] = brief;
    costs[4 * at + 2] = detailed;
    costs[4 * at + 3] = full;
  });
  const tokensAt = (at: number, rank: number) => costs[4 * at + rank] ?? 0;
  let total = 0;
  current.forEach((rank, at) => (total += tokensAt(at, rank)));
  let raised = 1;
  if (total > limit) {
    const order = weights.map((_, at) => at).sort((a, b) => compare(weights[a] ?? 0, weights[b] ?? 0));
    for (const { at, rank, factor } of losses(order, { weights, published, thresholds })) {
      if (total <= limit) break;
      total += tokensAt(at, rank - 1) - tokensAt(at, rank);
      current[at] = rank - 1;
      if (factor < Infinity) raised = factor;
    }
    for (const at of order.toReversed()) {
      const from = current[at] ?? 0;
      for (let rank = published[at] ?? 0; rank > from; rank--) {
        const more = tokensAt(at, rank) - tokensAt(at, from);
        if (total + more > limit) continue;
        total += more;
        current[at] = rank;
        break;
      }
    }
  }
  return { levels: Array.from(current, (rank) => ranks[rank] ?? "placeholder"), raised, total };
}

interface LossFacts {
  readonly weights: readonly number[];
  readonly published: Uint8Array;
  readonly thresholds: PaceThresholds;
}

/** Yields the levels that steps lose as the thresholds rise, in order; at `factor`, a weight equals its raised threshold. */
function* losses(order: readonly number[], { weights, published, thresholds }: LossFacts) {
  const queues = ([3, 2, 1] as const).map((rank) => ({
    rank,
    threshold: thresholds[ranks[rank]],
    // A step whose published level is lower loses nothing here; such steps are the lightest.
    next: order.findIndex((at) => (published[at] ?? 0) >= rank),
  }));
  for (;;) {
    let best: { readonly queue: (typeof queues)[number]; readonly factor: number } | undefined;
    for (const queue of queues) {
      const at = queue.next < 0 ? undefined : order[queue.next];
      if (at === undefined) continue;
      const factor = (weights[at] ?? 0) / queue.threshold;
      if (best === undefined || factor < best.factor) best = { queue, factor };
    }
    if (best === undefined) return;
    const { queue, factor } = best;
    yield { at: order[queue.next] ?? 0, rank: queue.rank, factor };
    queue.next++;
  }
}

/** Compares numbers; `Infinity - Infinity` is NaN, so equal infinities need a comparison. */
function compare(one: number, other: number): number {
  return one === other ? 0 : one - other;
}
