import * as fc from "fast-check";
import { expect, it } from "vitest";
import { renderTable } from "./terminal-text.js";

const cell = fc.oneof(fc.integer({ min: 0, max: 10_000_000 }), fc.string({ maxLength: 90 }));
const table = fc.array(fc.tuple(cell, cell, cell, cell, cell), { minLength: 1, maxLength: 6 });
const head = ["thread", "step", "kind", "reason", "original"];

it("renderTable fits into the columns of any terminal, and drops no number", () => {
  fc.assert(
    fc.property(table, fc.constantFrom(40, 60, 80, 120), (rows, columns) => {
      const text = renderTable(head, rows, { columns });
      expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(columns);
      for (const number of rows.flat().filter((one) => typeof one === "number"))
        expect(text).toContain(number.toLocaleString("en-US"));
    }),
  );
});

it("renderTable shortens the longest text first, and leaves a table as it is that fits", () => {
  const rows = [["short", "a text that is far too long for the terminal"]];
  const columns = 30;
  expect(renderTable(["one", "two"], rows, { columns })).toBe("one    two\nshort  a text that is far too…\n");
  expect(renderTable(["one", "two"], rows)).toBe(renderTable(["one", "two"], rows, { columns: 80 }));
});
