import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordFinder } from "./record-lines.js";

/** Returns the lines of each record in a text. */
function recordsIn(text: string, others: readonly string[] = []): readonly (readonly string[])[] {
  const lines = text.split("\n");
  const find = recordFinder([text, ...others].map((one) => one.split("\n")));
  const records = new Map<number, string[]>();
  find(lines).forEach((record, at) => {
    if (record >= 0) records.set(record, [...(records.get(record) ?? []), lines[at] ?? ""]);
  });
  return [...records.values()];
}

const people = ["Ann", "Ben", "Cleo"].map((name, at) => [
  `### person-${at}`,
  `name: ${name}`,
  `city: ${at} Hill`,
]);

describe("the records of a text", () => {
  it("are runs of lines with the same fields, with their headings", () => {
    const text = ["3 people", "", ...people.map((one) => one.join("\n"))].join("\n\n");
    expect(recordsIn(text)).toEqual(people);
  });

  it.each([
    ["JSON", `[\n${people.map((_, at) => `  {\n    "id": ${at},\n    "city": "X"\n  }`).join(",\n")}\n]`, 2],
    ["a list", people.map((_, at) => `- id: ${at}\n  city: X`).join("\n"), 2],
    [
      "a file view",
      people.map((_, at) => `${at * 3}→id: ${at}\n${at * 3 + 1}→city: X\n${at * 3 + 2}→`).join("\n"),
      2,
    ],
  ])("are found in %s", (_, text, lines) => {
    expect(recordsIn(text).map((one) => one.length)).toEqual([lines, lines, lines]);
  });

  it("are known by those of other texts, and not by copies of one", () => {
    const [first = "", ...others] = people.map((one) => one.join("\n"));
    expect(recordsIn(first, others)).toHaveLength(1);
    expect(recordsIn(first, [first, first])).toEqual([]);
  });

  it.each([
    ["prose", "Note: it works.\n\nNote: it is slow.\n\nNote: it is done."],
    [
      "code",
      "const a: string = f();\nreturn a;\n\nconst b: string = g();\nreturn b;\n\nconst c = 1;\nreturn c;",
    ],
    ["a table", "name | city\nAnn | 0 Hill\nBen | 1 Hill\nCleo | 2 Hill"],
    ["a log", "12:01 start: a\n12:02 stop: a\n12:03 start: b\n12:04 stop: b"],
  ])("are not seen in %s", (_, text) => {
    expect(recordsIn(text)).toEqual([]);
  });

  it("have between 2 and 16 lines in a row, for any text", () => {
    const line = fc.oneof(
      fc.constantFrom("", "name: a", "city: b", "{", "- id: 1", "state: c", "### 1"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
        const numbers = recordFinder([lines])(lines);
        expect(numbers).toHaveLength(lines.length);
        const found = [...new Set(numbers)].filter((number) => number >= 0);
        for (const number of found) {
          const [first, last] = [numbers.indexOf(number), numbers.lastIndexOf(number)];
          expect(last - first + 1).toBe(numbers.filter((one) => one === number).length);
          expect(last - first + 1).toBeGreaterThanOrEqual(2);
          expect(last - first + 1).toBeLessThanOrEqual(16);
        }
      }),
    );
  });
});
