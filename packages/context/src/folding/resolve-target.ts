import type { FoldUnit } from "./fold-units.js";

/** What a fold directive names: steps, both included, or blocks by id. */
export type FoldTarget =
  | { readonly from: number; readonly to?: number | undefined }
  | { readonly ids: readonly number[] };

/** Units in a row, by their index, or why the target is none. */
export type ResolvedTarget = Run | { readonly refusal: string };

/** Numbers that a refusal names at most. */
const named = 12;

/**
 * Returns the units that a target means, or a refusal that names the legal ones. Pure, never throws.
 *
 * A fold starts where a block or an interaction starts and ends where one ends; ids are those of neighbours. Anything
 * else would leave a gap or cover something that was not merged.
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
  const chosen = stepping.flatMap((one, place) =>
    one.unit.block !== undefined && wanted.has(one.unit.block.id) ? [{ ...one, place }] : [],
  );
  const blocks = stepping.flatMap(({ unit }) => unit.block?.id ?? []);
  const known = `The blocks are, in order, {${listOf(blocks, ids[0] ?? Infinity)}}.`;
  const missing = [...wanted].filter((id) => !blocks.includes(id));
  const [first, last] = [chosen[0], chosen.at(-1)];
  if (missing.length > 0 || first === undefined || last === undefined) {
    return { refusal: `There is no block ${missing.slice(0, named).join(", ") || "in the list"}. ${known}` };
  }
  if (last.place - first.place + 1 !== chosen.length) {
    return { refusal: `Blocks ${ids.slice(0, named).join(", ")} are not neighbours. ${known}` };
  }
  return { from: first.index, to: last.index };
}

/** The numbers nearest to what was asked for: a long list would cost more than the fold saves. */
function listOf(numbers: readonly number[], near: number): string {
  if (numbers.length <= named) return numbers.join(", ");
  const place = numbers.findIndex((one) => one >= near);
  const middle = place < 0 ? numbers.length : place;
  const start = Math.max(0, Math.min(numbers.length - named, middle - named / 2));
  const shown = numbers.slice(start, start + named).join(", ");
  return `${start > 0 ? "…, " : ""}${shown}${start + named < numbers.length ? ", …" : ""}`;
}

/** A stretch of steps. */
export interface Stretch {
  readonly startStep: number;
  readonly endStep: number;
}

/** Blocks in a row, by their index; both included. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

/** Blocks that one consolidation merges at most. */
const most = 4;

/**
 * Returns how many blocks may stand for so many steps: the newest ones, and three of each size above.
 *
 * Sizes go up by a factor of four, so this grows with the logarithm of the steps. Pure.
 */
export function blocksFor(steps: number, recentBlocks: number): number {
  const sizes = 1 + Math.floor(Math.log(Math.max(1, steps)) / Math.log(most));
  return recentBlocks + 3 * sizes + 1;
}

/**
 * Returns the blocks to merge next, as a binary counter carries: blocks of about the same size, the smallest first, of
 * equal ones the oldest. Undefined for less than two blocks. Pure.
 *
 * What counts is how many times as many steps the result has as the largest block in it: a text is written anew only
 * when its block grows by much, which can happen only log(steps) times.
 */
export function chooseConsolidation(blocks: readonly Stretch[]): Run | undefined {
  let best: (Run & { readonly growth: number; readonly total: number }) | undefined;
  for (let from = 0; from < blocks.length - 1; from++) {
    let total = 0;
    let largest = 0;
    for (let to = from; to < Math.min(blocks.length, from + most); to++) {
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
