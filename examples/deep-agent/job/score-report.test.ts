import { describe, expect, it } from "vitest";
import { type PackageFacts } from "./ground-truth.js";
import { scoreReport } from "./score-report.js";

const facts: PackageFacts = {
  licence: "(MIT OR CC0-1.0)",
  version: "1.2.3",
  entry: "./index.js",
  largest: "dist/a.js 1234",
  importedBy: "b, c",
  symbol: "dist/a.js:7",
};
const row = "| a | (MIT OR CC0-1.0) | 1.2.3 | ./index.js | dist/a.js | 1,234 | b, c | `dist/a.js:7` |";

describe("scoreReport", () => {
  it("counts six right answers for a right row", () => {
    const score = scoreReport(`# Audit\n\n${row}\n`, new Map([["a", facts]]));
    expect(score).toEqual({ correct: 6, total: 6, wrong: [] });
  });

  it("counts a changed cell as one wrong answer", () => {
    const report = row.replace("1.2.3", () => "1.2.4");
    expect(scoreReport(report, new Map([["a", facts]]))).toEqual({
      correct: 5,
      total: 6,
      wrong: [{ about: "a version", expected: "1.2.3", found: "1.2.4" }],
    });
  });

  it("counts a missing row as six wrong answers", () => {
    expect(scoreReport("", new Map([["a", facts]])).correct).toBe(0);
  });
});
