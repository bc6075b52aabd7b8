/** Returns the cosine of two vectors: `s_i = cos(q_t, k_i)` (PACE, 3.2 similarity). 0 for a zero vector. Pure. */
export function cosine(one: readonly number[], other: readonly number[]): number {
  let dot = 0;
  let square = 0;
  let otherSquare = 0;
  for (let at = 0; at < one.length; at++) {
    const a = one[at] ?? 0;
    const b = other[at] ?? 0;
    dot += a * b;
    square += a * a;
    otherSquare += b * b;
  }
  const length = Math.sqrt(square) * Math.sqrt(otherSquare);
  return length === 0 ? 0 : dot / length;
}
