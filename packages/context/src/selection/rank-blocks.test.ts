import { expect, it } from "vitest";
import { rankUnits } from "./rank-blocks.js";

function best(query: string, texts: readonly string[]): string | undefined {
  const scores = rankUnits(
    texts.map((text) => ({ value: text, text })),
    { query, neighbours: [] },
  );
  return texts[scores.indexOf(Math.max(...scores))];
}

const other = "The weather in town stays as it is today.";

it.each([
  ["plans", "We planned the trip in May."],
  ["studies", "She studied it at length."],
  ["notes", "There is one note for you."],
  ["slowly", "It was a slow walk."],
])("a unit with another form of %s has the word", (query, text) => {
  expect(best(query, [other, text])).toBe(text);
});

it("question words do not count", () => {
  const asking = "What, when, where, which, who and why: how is it?";
  const [first, second] = rankUnits(
    [asking, "The budget is 5."].map((text) => ({ value: text, text })),
    {
      query: "What is the budget?",
      neighbours: [],
    },
  );
  expect(first).toBe(0);
  expect(second).toBeGreaterThan(0);
});

it("of two units with the same words the one with a phrase of the query comes first", () => {
  const phrase = "They set the running budget beside the trip in Porto.";
  const words = "They set the budget running beside the trip in Porto.";
  expect(best("Which running budget?", [words, phrase, other])).toBe(phrase);
});
