import { expect, it } from "vitest";
import type { Found, Lane } from "./lane.js";
import { makeRun } from "./made-runs.js";
import { measureNextSteps, wholeAnswer, type Room } from "./measure-next-steps.js";

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

async function ownWords(lane: Lane, room: Room = wholeAnswer) {
  const recalls = await measureNextSteps([makeRun(1, 80)], lane, room);
  return recalls.find(({ query }) => query === "ownWords");
}

it("a string in a step that was found counts as shown only where it stands in the answer", async () => {
  const whole = await ownWords(everyStep((text) => text));
  const named = await ownWords(everyStep(() => "see the file"));
  expect(whole?.shown?.mean).toBe(1);
  expect(named?.shown?.mean).toBe(0);
  expect(named?.steps).toEqual(whole?.steps);
});

it("what is shown ends at the tokens that are given", async () => {
  const cut = await ownWords(
    everyStep((text) => text),
    { ownWords: 100, published: 100 },
  );
  expect(cut?.tokens).toBe(100);
  expect(cut?.shown?.mean).toBeLessThan(1);
});
