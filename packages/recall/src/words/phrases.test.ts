import * as fc from "fast-check";
import { expect, it } from "vitest";
import { byPhrases } from "./phrases.js";

const texts = new Map([
  [1, "Porto, the budget of others: line 17"],
  [2, "The budget of Porto is 4711 from now on."],
]);
const ranking = [
  { id: 1, score: 2 },
  { id: 2, score: 1.9 },
];

it("a passage with the question's words side by side comes before one with the same words apart", () => {
  const ids = byPhrases(ranking, texts, "What is the budget of Porto now?").map(({ id }) => id);
  expect(ids).toEqual([2, 1]);
});

it("a phrase that fewer passages have counts more, and one that none has not at all", () => {
  const others = Array.from({ length: 8 }, (_, at): [number, string] => [at, "Let me look at the budget"]);
  const all = new Map([...others, [8, "The budget of Porto"] as const]);
  const found = [...all.keys()].map((id) => ({ id, score: 1 }));
  const [first, second] = byPhrases(found, all, "Let me look for the budget of Porto");
  expect(first?.id).toBe(8);
  expect(first?.score).toBeGreaterThan(2);
  expect(second?.score).toBeLessThan(2);
  const only = byPhrases([{ id: 8, score: 1 }], new Map([[8, "of Porto"]]), "the budget of Porto in May");
  expect(only).toEqual([{ id: 8, score: 3 }]);
});

it("a question of one word leaves the ranking as it is", () => {
  expect(byPhrases(ranking, texts, "budget")).toEqual(ranking);
});

it("phrases neither lose a passage nor lower a score, and at most triple it", () => {
  const word = fc.constantFrom("the", "budget", "of", "Porto", "line", "src/a.ts");
  const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), text, (all, query) => {
      const found = all.map((_, id) => ({ id, score: 1 + id }));
      const after = byPhrases(found, new Map(all.map((one, id) => [id, one])), query);
      expect(new Set(after.map(({ id }) => id))).toEqual(new Set(found.map(({ id }) => id)));
      expect(after).toHaveLength(found.length);
      for (const { id, score } of after) {
        expect(score).toBeGreaterThanOrEqual(1 + id);
        expect(score).toBeLessThanOrEqual(3 * (1 + id));
      }
    }),
  );
});
