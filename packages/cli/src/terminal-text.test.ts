import * as fc from "fast-check";
import { expect, it } from "vitest";
import { renderTable, wrapped } from "./terminal-text.js";

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

it("sentences break between words on a terminal, keep every word, and stay as they are where they are piped", () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/u), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(words, fc.constantFrom(20, 60, 80, 120), (words, columns) => {
      const text = `${words.join(" ")}.\n`;
      const lines = wrapped(text, { columns }).split("\n");
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
      expect(lines.join(" ").trim()).toBe(text.trim());
      expect(wrapped(text, {})).toBe(text);
    }),
  );
});
