/** What a setting costs and how much of what is needed it keeps. */
export interface Point {
  readonly bill: number;
  readonly recall: number;
}

/** Differences of recall that count as none. */
export const sameRecall = 0.005;

/** Returns the points that no other one beats: none has at least their recall for less. Cheapest first. Pure. */
export function paretoFront<Item extends Point>(points: readonly Item[]): readonly Item[] {
  const sorted = points.toSorted((one, other) => one.bill - other.bill || other.recall - one.recall);
  let best = -Infinity;
  return sorted.filter(({ recall }) => {
    const isBetter = recall > best;
    best = Math.max(best, recall);
    return isBetter;
  });
}

/** Returns the cheapest point with at least a recall; undefined where none has it. Pure. */
export function cheapestAt<Item extends Point>(points: readonly Item[], recall: number): Item | undefined {
  return paretoFront(points).find((point) => point.recall >= recall - sameRecall);
}

/** Two points of equal recall. */
export interface Meeting<Item extends Point> {
  /** On the front of the others. */
  readonly theirs: Item;
  /** Our cheapest with that recall; undefined where none of ours has it. */
  readonly ours: Item | undefined;
}

/** Returns our cheapest point beside each point of the others' front. Pure. */
export function meetings<Item extends Point>(
  ours: readonly Item[],
  others: readonly Item[],
): readonly Meeting<Item>[] {
  return paretoFront(others).map((theirs) => ({ theirs, ours: cheapestAt(ours, theirs.recall) }));
}
