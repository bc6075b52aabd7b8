import * as fc from "fast-check";
import { expect, it } from "vitest";
import { thinRows } from "./chart-columns.js";

it("thinRows returns few rows in order, the one with the largest prompt of a range among them", () => {
  const prompts = fc.array(fc.nat(), { minLength: 1, maxLength: 200 });
  const ends = fc.tuple(fc.nat(), fc.nat());
  fc.assert(
    fc.property(prompts, ends, fc.integer({ min: 1, max: 50 }), (all, [one, other], most) => {
      const [from = 0, to = 0] = [one % all.length, other % all.length].toSorted((a, b) => a - b);
      const rows = thinRows(Float64Array.from(all), [from, to], most);
      expect(rows.length).toBeLessThanOrEqual(most);
      expect(rows).toEqual([...new Set(rows)].toSorted((a, b) => a - b));
      expect(rows.every((row) => row >= from && row <= to)).toBe(true);
      expect(Math.max(...rows.map((row) => all[row] ?? -1))).toBe(Math.max(...all.slice(from, to + 1)));
    }),
  );
});
