import type { FoldUnit } from "./fold-units.js";

/**
 * Returns how many steps before the latest brought nothing new, counted back from the newest one. Pure.
 *
 * A step brought nothing when all its results were errors, or when a step that still stands for itself made the same
 * calls or got the same results. A consolidation ends the count.
 */
export function stalledSteps(units: readonly FoldUnit[]): number {
  const blocks = units.flatMap(({ block }) => block ?? []);
  let stalled = 0;
  for (let index = blocks.length - 1; index >= 0; index--, stalled++) {
    const block = blocks[index];
    if (block === undefined || block.scale === "macro" || block.calls === undefined) break;
    const before = blocks.slice(0, index);
    const again = before.some(({ calls, results }) => calls === block.calls || results === block.results);
    if (block.failed !== true && !again) break;
  }
  return stalled;
}
