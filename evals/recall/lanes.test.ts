import { expect, it } from "vitest";
import type { Lane } from "./lane.js";
import { tool, wholeTexts, wholeTextsAndNeighbours } from "./lanes.js";

async function found(lane: Lane): Promise<readonly number[]> {
  const searching = lane.start(1);
  const texts = ["willow alder", "otter beaver", "heron marsh reed", "the answer"];
  for (const [from, text] of texts.entries()) await searching.add(text, from);
  return (await searching.find("heron marsh", 2)).map(({ from }) => from);
}

it("of an answer of search_history only the lines that were said count", async () => {
  const searching = tool.start(1);
  await searching.add("const retryLimit = 5;\nconst other = 1;", 7);
  expect(await searching.find("the retry limit", 5)).toEqual([
    { from: 7, text: "const retryLimit = 5;\nconst other = 1;" },
  ]);
  searching.close?.();
});

it("BM25 with neighbours finds the step beside the one that has the words", async () => {
  expect(await found(wholeTextsAndNeighbours)).toEqual([2, 1]);
  expect(await found(wholeTexts)).toEqual([2, 0]);
});
