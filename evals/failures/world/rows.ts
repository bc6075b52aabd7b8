/**
 * Returns lines each of which occurs nowhere else, about `width` characters long.
 *
 * @param tag letters and digits that no other rows of the world have
 */
export function rows(tag: string, count: number, width = 60): readonly string[] {
  return Array.from({ length: count }, (_, row) =>
    `${tag}#${row}; the value is ${(row + 1) * 7919} of ${tag.length} `.padEnd(width, "."),
  );
}
