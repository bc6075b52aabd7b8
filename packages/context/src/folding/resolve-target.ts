import type { FoldUnit } from "./fold-units.js";

/** Target of a fold directive: a range of steps, inclusive, or blocks by id. */
export type FoldTarget =
  | { readonly from: number; readonly to?: number | undefined }
  | { readonly ids: readonly number[] };

/** A run of units, or the reason for refusing the target. */
export type ResolvedTarget = Run | { readonly refusal: string };

/** Maximum numbers in a refusal. */
const maxNumbers = 12;

/**
 * Returns the units of a target, or a refusal that names the legal targets. Pure, never throws.
 *
 * A fold starts where a unit starts and ends where a unit ends; ids must name neighbouring blocks. Any other target would
 * leave a gap or cover an unmerged unit.
 */
export function resolveTarget(units: readonly FoldUnit[], target: FoldTarget): ResolvedTarget {
  const stepping = units.flatMap((unit, index) => (unit.kind === "words" ? [] : [{ unit, index }]));
  if (stepping.length === 0) return { refusal: "There is nothing to fold yet." };
  return "ids" in target ? byIds(stepping, target.ids) : bySteps(stepping, target);
}

type Stepping = readonly { readonly unit: FoldUnit; readonly index: number }[];

function bySteps(
  stepping: Stepping,
  { from, to }: { from: number; to?: number | undefined },
): ResolvedTarget {
  const first = stepping.find(({ unit }) => unit.startStep === from);
  const last = to === undefined ? stepping.at(-1) : stepping.findLast(({ unit }) => unit.endStep === to);
  if (first !== undefined && last !== undefined && first.index <= last.index) {
    return { from: first.index, to: last.index };
  }
  const starts = stepping.map(({ unit }) => unit.startStep);
  const ends = stepping.map(({ unit }) => unit.endStep);
  return {
    refusal:
      `Steps ${from} to ${to ?? "the last"} cannot be folded: a fold starts at a step in ` +
      `{${listOf(starts, from)}} and ends at one in {${listOf(ends, to ?? Infinity)}}.`,
  };
}

function byIds(stepping: Stepping, ids: readonly number[]): ResolvedTarget {
  const wanted = new Set(ids);
  const known = idsOf(stepping);
  const chosen = stepping.flatMap((one, place) => (wanted.has(known[place] ?? 0) ? [{ ...one, place }] : []));
  const listed = `The blocks are, in order, {${listOf(known, ids[0] ?? Infinity)}}.`;
  const missing = [...wanted].filter((id) => !known.includes(id));
  const [first, last] = [chosen[0], chosen.at(-1)];
  if (missing.length > 0 || first === undefined || last === undefined) {
    return {
      refusal: `There is no block ${missing.slice(0, maxNumbers).join(", ") || "in the list"}. ${listed}`,
    };
  }
  if (last.place - first.place + 1 !== chosen.length) {
    return { refusal: `Blocks ${ids.slice(0, maxNumbers).join(", ")} are not neighbours. ${listed}` };
  }
  return { from: first.index, to: last.index };
}

/** Ids of the units in order. A step that is no block yet has the id that it gets once it is folded. */
function idsOf(stepping: Stepping): readonly number[] {
  const blocks = stepping.flatMap(({ unit }) => unit.block?.id ?? []);
  let newest = Math.max(0, ...blocks);
  return stepping.map(({ unit }) => unit.block?.id ?? ++newest);
}

/** Lists the numbers nearest to the requested one: a full list could cost more tokens than the fold saves. */
function listOf(numbers: readonly number[], near: number): string {
  if (numbers.length <= maxNumbers) return numbers.join(", ");
  const place = numbers.findIndex((one) => one >= near);
  const middle = place < 0 ? numbers.length : place;
  const start = Math.max(0, Math.min(numbers.length - maxNumbers, middle - maxNumbers / 2));
  const shown = numbers.slice(start, start + maxNumbers).join(", ");
  return `${start > 0 ? "…, " : ""}${shown}${start + maxNumbers < numbers.length ? ", …" : ""}`;
}

/** A range of steps, inclusive. */
export interface Stretch {
  readonly startStep: number;
  readonly endStep: number;
}

/** Consecutive units, by index, inclusive. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

/** Maximum blocks that one consolidation merges. */
const maxMerged = 4;

/**
 * Returns the maximum number of blocks for `steps` steps: the newest blocks, and three of each larger size.
 *
 * Sizes grow by a factor of four, so the number grows with the logarithm of the steps. Pure.
 */
export function blocksFor(steps: number, recentBlocks: number): number {
  const sizes = 1 + Math.floor(Math.log(Math.max(1, steps)) / Math.log(maxMerged));
  return recentBlocks + 3 * sizes + 1;
}

/**
 * Returns the blocks to merge next, like the carry of a counter: blocks of about the same size, smallest first, oldest
 * first among equals. Undefined for fewer than two blocks. Pure.
 *
 * Maximizes the ratio of the merged steps to the steps of the largest part: each rewrite of a text grows its block by a
 * large factor, so a text is rewritten O(log steps) times.
 */
export function chooseConsolidation(blocks: readonly Stretch[]): Run | undefined {
  let best: (Run & { readonly growth: number; readonly total: number }) | undefined;
  for (let from = 0; from < blocks.length - 1; from++) {
    let total = 0;
    let largest = 0;
    for (let to = from; to < Math.min(blocks.length, from + maxMerged); to++) {
      const { startStep, endStep } = blocks[to] as Stretch;
      total += endStep - startStep + 1;
      largest = Math.max(largest, endStep - startStep + 1);
      const growth = total / largest;
      if (to === from) continue;
      const better =
        best === undefined || growth > best.growth || (growth === best.growth && total < best.total);
      if (better) best = { from, to, growth, total };
    }
  }
  return best === undefined ? undefined : { from: best.from, to: best.to };
}
