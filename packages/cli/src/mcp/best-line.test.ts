import type { Hit } from "@palimpsest/recall";
import { expect, it } from "vitest";
import { bestLineFirst } from "./best-line.js";

const hit = (text: string): Hit => ({ thread: "t", path: "a", line: 1, text, score: 1 });
const spread = hit("budget = load()\nreview(heron)\nsecond = heron.next()");
const together = hit("// the budget of the heron, since the second review\nreturn null");

it("a hit with the words in one line comes before one that holds them all over", () => {
  expect(bestLineFirst([spread, together], "budget heron second review")).toEqual([together, spread]);
});

it("hits that hold none of the words, or as many, stay in their order", () => {
  const others = [hit("alpha"), hit("beta"), hit("gamma")];
  expect(bestLineFirst(others, "budget")).toEqual(others);
  expect(bestLineFirst([together, hit(together.text)], "heron")).toEqual([together, hit(together.text)]);
  expect(bestLineFirst([], "heron")).toEqual([]);
});
