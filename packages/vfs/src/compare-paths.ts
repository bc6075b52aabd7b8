/** Returns the order of two paths by their UTF-8 bytes, the order of SQL and object stores. Pure. */
export function comparePaths(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const difference = rank(a.charCodeAt(index)) - rank(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** UTF-16 puts surrogates below U+E000; in UTF-8 they are above. */
function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}
