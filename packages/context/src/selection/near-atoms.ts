import type { Atom, IndexedChunk } from "./indexed-chunk.js";

export interface NearOptions {
  /** Lines on either side. */
  readonly radius: number;
  /** Chunks so far. */
  readonly chunks: number;
  readonly field: "nearCalls" | "nearIntent";
}

/**
 * Sets `field` of every atom that stands within `radius` lines of one of `named`: the sum of their weights
 * `ln(1 + chunks / count)` around its best place, without its own.
 */
export function nearAtoms(named: ReadonlySet<Atom>, { radius, chunks, field }: NearOptions): void {
  const sums = new Map<IndexedChunk, Float64Array>();
  for (const atom of named) {
    atom.weight = Math.log(1 + chunks / atom.count);
    for (const { chunk, line } of atom.places) {
      if (chunk.lines.length === 0) continue;
      const sum = sums.get(chunk) ?? new Float64Array(chunk.lines.length + 1);
      sums.set(chunk, sum);
      sum[line + 1] = (sum[line + 1] ?? 0) + atom.weight;
    }
  }
  for (const [chunk, sum] of sums) {
    for (let at = 1; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (sum[at - 1] ?? 0);
    chunk.lines.forEach((line, at) => {
      const around =
        (sum[Math.min(sum.length - 1, at + radius + 1)] ?? 0) - (sum[Math.max(0, at - radius)] ?? 0);
      if (around < 1e-9) return;
      for (const atom of line.atoms) {
        const others = named.has(atom) ? around - atom.weight : around;
        if (others > atom[field]) atom[field] = others;
      }
    });
  }
}
