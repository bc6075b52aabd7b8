/** Returns the sum of a value of each item. Pure. */
export function sumOf<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}

/** Returns a part as a share of the whole; 1 of nothing, which has all that there is. Pure. */
export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}
