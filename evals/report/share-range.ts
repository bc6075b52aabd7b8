/** Returns the lowest and the highest of shares as a person reads them: "87 to 93 %"; "–" without any. Pure. */
export function shareRange(shares: readonly (number | undefined)[]): string {
  const known = shares.flatMap((share) => (share === undefined || Number.isNaN(share) ? [] : [share]));
  if (known.length === 0) return "–";
  const [low = 0, high = 0] = [Math.min(...known), Math.max(...known)].map((share) =>
    Math.round(100 * share),
  );
  return low === high ? `${low} %` : `${low} to ${high} %`;
}
