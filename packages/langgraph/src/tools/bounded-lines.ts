/** Characters of one result of a file tool. */
export const defaultResultCharacters = 20_000;

/** Returns as many whole lines as fit, and how many were left out with what to do about it. */
export function boundedLines(lines: readonly string[], characters: number, way: string): string {
  let used = 0;
  const fitting = lines.findIndex((line) => (used += line.length + 1) > characters);
  if (fitting < 0) return lines.join("\n");
  const shown = lines.slice(0, fitting);
  return [...shown, `[${lines.length - fitting} more: ${way}]`].join("\n");
}
