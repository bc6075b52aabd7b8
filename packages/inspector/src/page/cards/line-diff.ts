export interface DiffLine {
  readonly sign: "+" | "-" | " ";
  readonly text: string;
}

/** Lines around a change. */
const around = 3;

/** Returns the lines that differ between two texts, with some that are equal around them. Pure. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, next] = [before.split("\n"), after.split("\n")];
  let first = 0;
  while (first < old.length && first < next.length && old[first] === next[first]) first += 1;
  let same = 0;
  while (same < Math.min(old.length, next.length) - first && old.at(-1 - same) === next.at(-1 - same))
    same += 1;
  const lines = (texts: readonly string[], sign: DiffLine["sign"]) => texts.map((text) => ({ sign, text }));
  return [
    ...lines(old.slice(Math.max(0, first - around), first), " "),
    ...lines(old.slice(first, old.length - same), "-"),
    ...lines(next.slice(first, next.length - same), "+"),
    ...lines(same === 0 ? [] : old.slice(old.length - same, old.length - same + around), " "),
  ];
}
