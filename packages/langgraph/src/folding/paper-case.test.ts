import { blockOf, blocksOf } from "@palimpsest/context/folding";
import { expect, it } from "vitest";
import { playFolding } from "../testing/play-folding.js";

it("folding merges 14 entries at turn 18 into 7 at turn 19, as in the paper's case", async () => {
  // The paper's case counts the latest interaction as an entry: blocks of 1, 1, 1, 1, 1 steps, then 8 over steps 6-16.
  const says: Readonly<Record<number, string>> = {
    10: '<context>{"range":[8,9],"summary":"the two listings agree"}</context>',
    14: '<context>{"range":[11,13],"summary":"three searches without a match"}</context>',
    18: '<context>{"range":[6,17],"summary":"steps 6 to 17 led nowhere; the archive page is next"}</context>',
  };
  const { prompts } = await playFolding({ steps: 18, say: (step) => says[step] ?? "" });
  const entries = prompts.map((prompt) => blocksOf(prompt).length + 1);
  // The context of turn t follows step t - 1.
  expect(entries[16]).toBe(14);
  expect(entries[17]).toBe(7);
  const last = prompts[17]!.flatMap((message) => blockOf(message) ?? []);
  expect(last.map(({ startStep, endStep }) => [startStep, endStep])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
    [5, 5],
    [6, 17],
  ]);
});
