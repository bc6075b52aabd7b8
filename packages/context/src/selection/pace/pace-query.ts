/**
 * Returns the text that is looked for: `R_t = Q + R_full(t-N) + ... + R_full(t-1)`, cut to `characters` (PACE, 3.2 query
 * text and vectors). Pure. Keys are cut by the same number.
 */
export function paceQuery(goal: string, recent: readonly string[], characters: number): string {
  return [goal, ...recent].join("\n").slice(0, characters);
}
