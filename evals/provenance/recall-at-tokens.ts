import type { PolicyRecall } from "./measure-policy.js";

/**
 * Returns the recall of all needs that a policy has at a mean size of its contexts, between the two measured sizes
 * around it. Undefined outside of what was measured.
 */
export function recallAtTokens(recalls: readonly PolicyRecall[], tokens: number): number | undefined {
  const points = recalls
    .flatMap((recall) => (recall.all === undefined ? [] : [{ x: recall.tokens, y: recall.all.mean }]))
    .toSorted((one, other) => one.x - other.x);
  const above = points.findIndex(({ x }) => x >= tokens);
  const right = points[above];
  const left = points[above - 1] ?? right;
  if (left === undefined || right === undefined) return undefined;
  if (above === 0 && right.x > tokens) return undefined;
  const share = right.x === left.x ? 0 : (tokens - left.x) / (right.x - left.x);
  return left.y + share * (right.y - left.y);
}
