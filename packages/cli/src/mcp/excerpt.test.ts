import { expect, it } from "vitest";
import { excerpt } from "./excerpt.js";

const filler = Array.from({ length: 40 }, (_, at) => `heron line ${at} of the log`);

it("a short text is shown whole", () => {
  expect(excerpt("heron", "heron", 10)).toBe("heron");
});

it("the line that holds most words is shown whole, with lines around it", () => {
  const line = "the budget of the heron service is 4,800 per month since the second review";
  const text = [...filler, line, ...filler].join("\n");
  const shown = excerpt(text, "heron budget second review", 200);
  expect(shown).toContain(line);
  expect(shown.length).toBeLessThanOrEqual(202);
  expect(shown).toMatch(/^….*…$/s);
});

it("a part of a long line is shown around the words", () => {
  const shown = excerpt(`${"a ".repeat(900)}budget review${" b".repeat(900)}`, "budget review", 100);
  expect(shown).toContain("budget review");
  expect(shown.length).toBeLessThanOrEqual(102);
});

it("words on several lines are shown together where no line holds as many", () => {
  const text = [...filler, "the budget", "of the review", ...filler].join("\n");
  expect(excerpt(text, "budget review", 60)).toMatch(/budget\nof the review/);
});
