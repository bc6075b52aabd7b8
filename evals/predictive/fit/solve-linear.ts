/** Returns the solution of a square system of linear equations, by elimination with pivots. Pure. */
export function solveLinear(
  matrix: readonly (readonly number[])[],
  right: readonly number[],
): readonly number[] {
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0]);
  const size = rows.length;
  for (let column = 0; column < size; column++) {
    const pivot = rows.reduce(
      (best, row, at) =>
        at >= column && Math.abs(row[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0) ? at : best,
      column,
    );
    const chosen = rows[pivot] ?? [];
    rows[pivot] = rows[column] ?? [];
    rows[column] = chosen;
    for (let at = 0; at < size; at++) {
      const row = rows[at];
      const factor = at === column ? 0 : (row?.[column] ?? 0) / (chosen[column] ?? 1);
      if (row === undefined || factor === 0) continue;
      for (let to = column; to <= size; to++) row[to] = (row[to] ?? 0) - factor * (chosen[to] ?? 0);
    }
  }
  return rows.map((row, at) => (row[size] ?? 0) / (row[at] ?? 1));
}
