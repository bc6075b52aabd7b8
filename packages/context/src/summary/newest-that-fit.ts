/** Returns the newest entries of a list, oldest first, with at most `characters` characters in total. Pure. */
export function newestThatFit(entries: readonly string[], characters: number): readonly string[] {
  let left = characters;
  const start = entries.findLastIndex((entry) => (left -= entry.length) < 0);
  return entries.slice(start + 1);
}
