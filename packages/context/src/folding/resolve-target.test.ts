import { HumanMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { FoldUnit } from "./fold-units.js";
import { resolveTarget } from "./resolve-target.js";

/** Blocks of these many steps, with words of the user before every third. */
function unitsOf(sizes: readonly number[]): readonly FoldUnit[] {
  let step = 0;
  return sizes.flatMap((size, index): FoldUnit[] => {
    const startStep = step + 1;
    step += size;
    const block = { id: index + 1, startStep, endStep: step, text: "t", scale: "micro" as const };
    const words: FoldUnit = {
      kind: "words",
      messages: [new HumanMessage("hm")],
      startStep,
      endStep: startStep - 1,
    };
    const unit: FoldUnit = { kind: "block", messages: [], startStep, endStep: step, block };
    return index % 3 === 2 ? [words, unit] : [unit];
  });
}

const units = unitsOf([1, 2, 3, 4]);

it("a target names whole neighbouring units, across user messages", () => {
  expect(resolveTarget(units, { from: 2, to: 6 })).toEqual({ from: 1, to: 3 });
  expect(resolveTarget(units, { from: 4 })).toEqual({ from: 3, to: 4 });
  expect(resolveTarget(units, { ids: [3, 2] })).toEqual({ from: 1, to: 3 });
});

it.each([
  [
    { from: 3, to: 6 },
    "Steps 3 to 6 cannot be folded: a fold starts at a step in {1, 2, 4, 7} and ends at one in {1, 3, 6, 10}.",
  ],
  [
    { from: 2, to: 5 },
    "Steps 2 to 5 cannot be folded: a fold starts at a step in {1, 2, 4, 7} and ends at one in {1, 3, 6, 10}.",
  ],
  [
    { from: 7, to: 3 },
    "Steps 7 to 3 cannot be folded: a fold starts at a step in {1, 2, 4, 7} and ends at one in {1, 3, 6, 10}.",
  ],
  [{ ids: [1, 3] }, "Blocks 1, 3 are not neighbours. The blocks are, in order, {1, 2, 3, 4}."],
  [{ ids: [2, 9] }, "There is no block 9. The blocks are, in order, {1, 2, 3, 4}."],
])(
  "resolveTarget refuses a target that would leave a gap, and lists the legal ones: %o",
  (target, refusal) => {
    expect(resolveTarget(units, target)).toEqual({ refusal });
  },
);

it("a refusal lists at most twelve numbers near the wrong one", () => {
  const many = unitsOf(Array.from({ length: 500 }, () => 2));
  expect(resolveTarget(many, { from: 400, to: 1_000 })).toEqual({
    refusal:
      "Steps 400 to 1000 cannot be folded: a fold starts at a step in {…, 389, 391, 393, 395, 397, 399, 401, 403, 405, 407, 409, 411, …} " +
      "and ends at one in {…, 978, 980, 982, 984, 986, 988, 990, 992, 994, 996, 998, 1000}.",
  });
});

it("a resolved run never starts or ends inside a block, for any blocks and any target", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 12 });
  const number = fc.integer({ min: -1, max: 12 });
  const target = fc.oneof(
    fc.record({ from: number, to: number }),
    fc.record({ ids: fc.array(number, { maxLength: 3 }) }),
  );
  let found = 0;
  fc.assert(
    fc.property(sizes, target, (given, wanted) => {
      const made = unitsOf(given);
      const resolved = resolveTarget(made, wanted);
      const run = "refusal" in resolved ? [] : made.slice(resolved.from, resolved.to + 1);
      found += run.length;
      const ids = run.flatMap(({ block }) => block?.id ?? []);
      const asked = "ids" in wanted ? [...new Set(wanted.ids)].toSorted((a, b) => a - b) : ids;
      const covered =
        "ids" in wanted ||
        run.length === 0 ||
        (run[0]?.startStep === wanted.from && run.at(-1)?.endStep === wanted.to);
      return covered && (run.length === 0 || ids.join() === asked.join());
    }),
    { numRuns: 2_000 },
  );
  expect(found).toBeGreaterThan(20);
});
