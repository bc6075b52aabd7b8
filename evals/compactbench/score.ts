import { mean } from "../metrics/quantile.js";

/** What an item asks for, by the names of CompactBench. */
export type ItemKind =
  | "locked_decision_retention"
  | "forbidden_behavior_retention"
  | "immutable_fact_recall"
  | "unresolved_task_continuity"
  | "entity_integrity"
  | "planning_soundness";

/** How an answer is checked. Case and white space do not count. */
export type Check =
  | { readonly check: "contains_normalized" | "forbidden_absent"; readonly value: string }
  | { readonly check: "set_match"; readonly values: readonly string[] };

/** What is scored of an item. */
export interface ScoredItem {
  readonly kind: ItemKind;
  readonly expected: Check;
}

/** The weights of scorer 2.0.0 of CompactBench 0.2.0 (Apache-2.0). */
export const weights: Readonly<Record<ItemKind, number>> = {
  locked_decision_retention: 3,
  forbidden_behavior_retention: 3,
  immutable_fact_recall: 2,
  unresolved_task_continuity: 2,
  entity_integrity: 1,
  planning_soundness: 1,
};

/** Their right answer names what must not be done: so naming it contradicts nothing. */
const asksForNames: ReadonlySet<ItemKind> = new Set([
  "locked_decision_retention",
  "forbidden_behavior_retention",
]);

/** Returns how well an answer passes a check, from 0 to 1. Pure. */
export function checkAnswer(expected: Check, answer: string): number {
  if (expected.check === "set_match")
    return mean(expected.values.map((value) => Number(holds(answer, value))));
  return Number(holds(answer, expected.value) === (expected.check === "contains_normalized"));
}

/**
 * Returns the score of a cycle, from 0 to 1: the weighted mean of its items, times the share of the answers that name
 * nothing forbidden, of those that are asked for something else. Pure.
 */
export function scoreCycle(
  items: readonly ScoredItem[],
  answers: readonly string[],
  forbidden: readonly string[],
): number {
  let [points, total, others, violating] = [0, 0, 0, 0];
  for (const [at, { kind, expected }] of items.entries()) {
    const answer = answers[at] ?? "";
    points += weights[kind] * checkAnswer(expected, answer);
    total += weights[kind];
    if (asksForNames.has(kind)) continue;
    others += 1;
    if (forbidden.some((one) => holds(answer, one))) violating += 1;
  }
  const contradictions = others === 0 ? 0 : violating / others;
  return total === 0 ? 0 : (points / total) * (1 - contradictions);
}

/** Returns what later cycles retain of the first one's score, at most 1. Without a later cycle, or from a score of 0, it is 0. Pure. */
export function driftResistance([first = 0, ...later]: readonly number[]): number {
  if (first === 0 || later.length === 0) return 0;
  return Math.min(1, mean(later) / first);
}

function holds(text: string, part: string): boolean {
  return normalized(text).includes(normalized(part));
}

function normalized(text: string): string {
  return text.trim().toLowerCase().replaceAll(/\s+/g, " ");
}
