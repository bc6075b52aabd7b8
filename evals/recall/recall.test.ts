import { expect, it } from "vitest";
import { makeRun } from "./made-runs.js";
import { nextStepsOf } from "./next-steps.js";

it("generated runs ask only for strings that occurred before, none of them in the last ten steps", () => {
  const { chunks, steps } = nextStepsOf(makeRun(1));
  expect(steps.length).toBeGreaterThan(20);
  for (const { wanted, old, ownWords } of steps) {
    const shown = (from: number, to: number) =>
      chunks
        .slice(from, to)
        .map(({ text }) => text)
        .join("\n");
    for (const atom of wanted) {
      expect(shown(0, old)).toContain(atom);
      expect(shown(old, old + 10)).not.toContain(atom);
      expect(ownWords).not.toContain(atom);
    }
  }
});
