import { expect, it } from "vitest";
import { blocksFor, chooseConsolidation, type Stretch } from "./resolve-target.js";

function stretches(sizes: readonly number[]): Stretch[] {
  let step = 0;
  return sizes.map((size) => ({ startStep: step + 1, endStep: (step += size) }));
}

it("a consolidation merges blocks of equal size, smallest first, then oldest first", () => {
  expect(chooseConsolidation(stretches([16, 4, 4, 4, 4, 1, 1, 1, 1, 1]))).toEqual({ from: 5, to: 8 });
  expect(chooseConsolidation(stretches([16, 4, 4, 4, 4, 1]))).toEqual({ from: 1, to: 4 });
  expect(chooseConsolidation(stretches([100, 1]))).toEqual({ from: 0, to: 1 });
  expect(chooseConsolidation(stretches([5]))).toBeUndefined();
});

it("over n steps, each step is merged O(log n) times and the number of blocks stays O(log n)", () => {
  const steps = 10_000;
  let blocks: (Stretch & { readonly merges: number })[] = [];
  let most = 0;
  for (let step = 1; step <= steps; step++) {
    blocks.push({ startStep: step, endStep: step, merges: 0 });
    while (blocks.length > blocksFor(step, 0)) {
      const run = chooseConsolidation(blocks)!;
      const merged = blocks.slice(run.from, run.to + 1);
      const merges = 1 + Math.max(...merged.map((block) => block.merges));
      const one = { startStep: merged[0]!.startStep, endStep: merged.at(-1)!.endStep, merges };
      blocks = [...blocks.slice(0, run.from), one, ...blocks.slice(run.to + 1)];
      most = Math.max(most, merges);
    }
  }
  expect(blocks.length).toBeLessThanOrEqual(blocksFor(steps, 0));
  expect(blocksFor(steps, 0)).toBe(22);
  expect(most).toBeGreaterThan(3);
  expect(most).toBeLessThanOrEqual(2 * Math.log2(steps));
});
