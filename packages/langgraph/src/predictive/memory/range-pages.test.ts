import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pageSize } from "./step-archive.js";
import { pagesBetween, toldPages, type StepPage } from "./told-pages.js";

const steps = fc.integer({ min: 0, max: 1_000_000 });
const range = fc.tuple(steps, steps).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));

/** Ends of pages that do not begin where the one before ends, at the earliest. */
function overlaps(pages: readonly StepPage[]): readonly StepPage[] {
  return pages.slice(1).filter(({ first }, at) => {
    const before = pages[at];
    return before === undefined || first < before.first + before.size;
  });
}

function textOfAny({ first, size }: StepPage): string {
  return `${size} from ${first}`.padEnd(100);
}

function textOfSmall({ first, size }: StepPage): string | undefined {
  return size > pageSize ? undefined : `page of ${first}`;
}

describe("the pages between two steps", () => {
  it("are each step of a whole page once, in order, and as many as the logarithm of the steps", () => {
    fc.assert(
      fc.property(range, ({ from, to }) => {
        const pages = pagesBetween(from, to);
        const first = Math.ceil(from / pageSize) * pageSize;
        const last = Math.floor(to / pageSize) * pageSize;
        expect(overlaps(pages)).toEqual([]);
        expect(pages.reduce((sum, { size }) => sum + size, 0)).toBe(Math.max(0, last - first));
        expect(pages.every((page) => page.first >= from && page.first + page.size <= to)).toBe(true);
        const levels = Math.ceil(Math.log(to - from + 2) / Math.log(pageSize));
        expect(pages.length).toBeLessThanOrEqual(2 * (pageSize - 1) * levels);
      }),
      { numRuns: 500 },
    );
  });
});

describe("what is told of them", () => {
  it("takes its share at most and tells each step once at most, whatever is written by then", () => {
    fc.assert(
      fc.property(
        range,
        fc.integer({ min: 0, max: 20_000 }),
        fc.integer({ min: 0, max: 97 }),
        ({ from, to }, limit, missing) => {
          const textOf = ({ first, size }: StepPage) =>
            size > pageSize ** 3 || (first / size) % 97 < missing
              ? undefined
              : "x".repeat(100 + (first % 300));
          const told = toldPages({ from, to, textOf, limit });
          expect(told.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(limit);
          expect(overlaps(told)).toEqual([]);
          expect(told.every((page) => page.text === textOf(page))).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);

  it("is the parts of a page that is not written yet, and the largest where not all fit", () => {
    const smallOnly = toldPages({ from: 0, to: 300, textOf: textOfSmall, limit: 1_000 });
    expect(smallOnly.map(({ first }) => first)).toEqual(
      Array.from({ length: 18 }, (_, nth) => nth * pageSize),
    );
    const told = toldPages({ from: 0, to: 300, textOf: textOfAny, limit: 200 });
    expect(told.map(({ first, size }) => [first, size])).toEqual([
      [0, 256],
      [272, 16],
    ]);
  });
});
