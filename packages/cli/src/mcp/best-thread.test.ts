import type { Hit } from "@palimpsest/recall";
import { expect, it } from "vitest";
import { bestThreadFirst } from "./best-thread.js";

const hit = (path: string, text: string, score: number): Hit => ({ thread: "t", path, line: 1, text, score });
const found = [
  hit("a", "The market in Porto sells fish.", 5),
  hit("b", "We moved to Porto in May.", 4.5),
  hit("b", "The kayak was cheap.", 4),
  hit("c", "A market again.", 1),
];
const question = "Where did they buy the kayak after they moved to Porto?";
const pathsOf = (hits: readonly Hit[]): readonly string[] => hits.map(({ path }) => path);

it("the best hit of the thread whose hits hold most words of the question comes first, the others stay in order", () => {
  const ordered = bestThreadFirst(found, question, ({ path }) => path);
  expect(ordered.map(({ score }) => score)).toEqual([4.5, 5, 4, 1]);
});

it("hits of one thread stay in their order", () => {
  expect(bestThreadFirst(found, question, () => "one")).toEqual(found);
  expect(bestThreadFirst([], question, () => "one")).toEqual([]);
});

it("a hit that is by far the best stays first", () => {
  const clear = [hit("a", "The kayak from Porto, after they moved", 20), ...found.slice(1)];
  expect(pathsOf(bestThreadFirst(clear, question, ({ path }) => path))).toEqual(["a", "b", "b", "c"]);
});
