import { expect, it } from "vitest";
import type { Found, Lane } from "./lane.js";
import { makeRun } from "./made-runs.js";
import { measureNextSteps } from "./measure-next-steps.js";

/** Finds every step, the oldest first, and shows `textOf` it. */
function everyStep(textOf: (text: string) => string): Lane {
  return {
    name: "every step",
    start: () => {
      const texts: Found[] = [];
      return {
        add: (text, from) => void texts.push({ from, text: textOf(text) }),
        find: async () => texts,
      };
    },
  };
}

async function measure(lane: Lane, room = Infinity) {
  return measureNextSteps([makeRun(1, 80)], lane, room);
}

it("a string in a step that was found counts as shown only where it stands in the answer", async () => {
  const whole = await measure(everyStep((text) => text));
  const named = await measure(everyStep(() => "see the file"));
  expect(whole.shown?.mean).toBe(1);
  expect(named.shown?.mean).toBe(0);
  expect(named.steps).toEqual(whole.steps);
});

it("what is shown ends at the tokens that are given", async () => {
  const cut = await measure(
    everyStep((text) => text),
    100,
  );
  expect(cut.tokens).toBe(100);
  expect(cut.shown?.mean).toBeLessThan(1);
});
