import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pageSize } from "./step-archive.js";
import { pagesBetween, summariesWithin, type StepPage } from "./range-summaries.js";

const steps = fc.integer({ min: 0, max: 1_000_000 });
const range = fc.tuple(steps, steps).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));

/** Returns the pages that begin before the page in front of them ends. */
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

describe("pagesBetween", () => {
  it("returns each step of a whole page once, in order, in a number of pages that grows with the logarithm of the steps", () => {
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

describe("summariesWithin", () => {
  it("stays within maxCharacters and covers each step at most once, whichever summaries exist", () => {
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
          const summaries = summariesWithin({ from, to, maxCharacters: limit }, textOf);
          expect(summaries.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(limit);
          expect(overlaps(summaries)).toEqual([]);
          expect(summaries.every((page) => page.text === textOf(page))).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("uses the parts of a page without a summary, and the largest pages if not all fit", () => {
    const smallOnly = summariesWithin({ from: 0, to: 300, maxCharacters: 1_000 }, textOfSmall);
    expect(smallOnly.map(({ first }) => first)).toEqual(
      Array.from({ length: 18 }, (_, nth) => nth * pageSize),
    );
    const summaries = summariesWithin({ from: 0, to: 300, maxCharacters: 200 }, textOfAny);
    expect(summaries.map(({ first, size }) => [first, size])).toEqual([
      [0, 256],
      [272, 16],
    ]);
  });
});
