import type { PolicyRecall } from "./measure-policy.js";
import type { RecallKind } from "./recall-kinds.js";

/**
 * Returns the recall of needs of a kind that a policy has at a mean size of its contexts, between the two measured sizes
 * around it. Undefined outside of what was measured.
 */
export function recallAtTokens(
  recalls: readonly PolicyRecall[],
  tokens: number,
  kind: RecallKind = "all",
): number | undefined {
  const points = recalls
    .flatMap(({ tokens: x, [kind]: recall }) => (recall === undefined ? [] : [{ x, y: recall.mean }]))
    .toSorted((one, other) => one.x - other.x);
  const above = points.findIndex(({ x }) => x >= tokens);
  const right = points[above];
  const left = points[above - 1] ?? right;
  if (left === undefined || right === undefined) return undefined;
  if (above === 0 && right.x > tokens) return undefined;
  const share = right.x === left.x ? 0 : (tokens - left.x) / (right.x - left.x);
  return left.y + share * (right.y - left.y);
}
