/** Returns items, the one with the highest score first. Pure. */
export function byScore<Item>(items: readonly Item[], scores: readonly number[]): readonly Item[] {
  return items
    .map((item, at) => ({ item, score: scores[at] ?? 0 }))
    .toSorted((one, other) => other.score - one.score)
    .map(({ item }) => item);
}
