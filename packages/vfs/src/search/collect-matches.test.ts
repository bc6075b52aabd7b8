import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { GrepMatch } from "../backend.js";
import { matchCollector } from "./collect-matches.js";

const sizes = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 12 });

function collected(counts: readonly number[], limit: number) {
  const collector = matchCollector(limit, { spread: true });
  for (const [file, count] of counts.entries()) {
    for (let line = 1; line <= count; line++) collector.add({ path: `/${file}`, line, text: "x" });
  }
  return collector.result();
}

/** The first match of every file, those with few matches first, then the second, and so on. */
function inTurns(counts: readonly number[]): readonly string[] {
  const files = counts.map((count, file) => ({ count, file })).toSorted((a, b) => a.count - b.count);
  const turns = Array.from({ length: Math.max(0, ...counts) }, (_, turn) => turn + 1);
  return turns.flatMap((turn) =>
    files.flatMap(({ count, file }) => (turn <= count ? [`/${file}:${turn}`] : [])),
  );
}

const placeOf = ({ path, line }: GrepMatch) => `${path}:${line}`;

it("a spread search holds every match whose turn comes within its limit, and the counts of all files", () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 80 }), (counts, limit) => {
      const { matches = [], counts: found = [], truncated = false } = collected(counts, limit);
      const kept = new Set(matches.map(placeOf));
      expect(
        inTurns(counts)
          .slice(0, limit)
          .filter((place) => !kept.has(place)),
      ).toEqual([]);
      expect(found).toEqual(
        counts.flatMap((count, file) => (count === 0 ? [] : [{ path: `/${file}`, matches: count }])),
      );
      expect(truncated).toBe(kept.size < counts.reduce((sum, count) => sum + count, 0));
      expect(matches.length).toBeLessThanOrEqual(limit + counts.length);
    }),
  );
});

it("a search that is not spread holds the first matches in order, and says whether there are more", () => {
  const collector = matchCollector(2, {});
  const match = { path: "/a", line: 1, text: "x" };
  expect([1, 2, 3].map((line) => collector.add({ ...match, line }))).toEqual([true, true, false]);
  expect(collector.result()).toEqual({ matches: [match, { ...match, line: 2 }], truncated: true });
});
