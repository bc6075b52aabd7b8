/** A block of lines that may be shown, and the strings in it. */
export interface Candidate {
  /** Number of the source: each source pays for its heading once. */
  readonly group: number;
  readonly heading: string;
  readonly lines: readonly string[];
  readonly atoms: readonly string[];
  /** Characters. */
  readonly cost: number;
}

interface Rated {
  readonly candidate: Candidate;
  readonly index: number;
  density: number;
}

/**
 * Returns a set of candidates with high total weight in at most `characters` characters, in input order, each group after
 * its heading.
 *
 * Pure. Lazy greedy: takes the candidate with the highest weight per character next; an atom counts once.
 */
export function coverGreedily(
  candidates: readonly Candidate[],
  weights: ReadonlyMap<string, number>,
  characters: number,
): readonly Candidate[] {
  const covered = new Set<string>();
  const groups = new Set<number>();
  const price = ({ group, heading, cost }: Candidate) => cost + (groups.has(group) ? 0 : heading.length + 3);
  const densityOf = (candidate: Candidate) => {
    const gain = candidate.atoms.reduce(
      (sum, atom) => sum + (covered.has(atom) ? 0 : (weights.get(atom) ?? 0)),
      0,
    );
    return gain / price(candidate);
  };
  let queue: Rated[] = candidates
    .map((candidate, index) => ({ candidate, index, density: densityOf(candidate) }))
    .filter(({ density }) => density > 0)
    .toSorted((a, b) => a.density - b.density);
  const chosen: Rated[] = [];
  let left = characters;
  for (let rated = queue.pop(); rated !== undefined; rated = queue.pop()) {
    const { candidate } = rated;
    const density = densityOf(candidate);
    const next = queue.at(-1)?.density ?? 0;
    if (density <= 0 || price(candidate) > left) continue;
    if (density < next) {
      queue = inserted(queue, { ...rated, density });
      continue;
    }
    left -= price(candidate);
    groups.add(candidate.group);
    for (const atom of candidate.atoms) covered.add(atom);
    chosen.push(rated);
  }
  return withHeadings(chosen.toSorted((a, b) => a.index - b.index).map(({ candidate }) => candidate));
}

/** Inserts into the sorted queue by binary search. */
function inserted(queue: Rated[], rated: Rated): Rated[] {
  let [low, high] = [0, queue.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((queue[middle]?.density ?? 0) < rated.density) low = middle + 1;
    else high = middle;
  }
  queue.splice(low, 0, rated);
  return queue;
}

function withHeadings(chosen: readonly Candidate[]): readonly Candidate[] {
  return chosen.map((candidate, at) => {
    if (candidate.heading === "" || chosen[at - 1]?.group === candidate.group) return candidate;
    return { ...candidate, lines: [candidate.heading, ...candidate.lines] };
  });
}
