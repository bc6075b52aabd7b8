import { expect, it } from "vitest";
import type { FoldView, ModelUsage, StepRow } from "../../view.js";
import { foldingCost, priceOfFolding } from "./folding-cost.js";
import { firstSeen } from "../first-seen.js";
import { countedBill, predictedCalls } from "./predicted-bill.js";

const none = { calls: 1, cached: 0, cacheWrites: 0, output: 0 };

/** A step with so many tokens, of which the first are unchanged. */
function row(tokens: number, unchangedTokens: number, rest: Partial<StepRow> = {}): StepRow {
  const place = { id: `${tokens}`, step: 0, at: "", messages: 1, unchanged: 1, label: "" };
  const events = { folds: [], opened: [], faults: [], calls: [] };
  return { ...place, tokens: [tokens], unchangedTokens, isEpoch: false, ...events, ...rest };
}

/** A call of a model with a prompt of so many tokens. */
function call(id: string, prompt: number, model = "large"): StepRow["calls"][number] {
  const reported = { ...none, model, input: prompt + 5 };
  return { id, sent: 1, tokens: [prompt + 5], prompt, reply: 10, isBare: false, counted: 0, reported };
}

/** A call of which no step measured what is sent beside its messages, and what the model reported. */
function bare(id: string, prompt: number, input: number): StepRow["calls"][number] {
  return { ...call(id, prompt), isBare: true, reported: { ...none, model: "large", input } };
}

function fold(id: string, usage: ModelUsage | null): FoldView {
  return { id, kind: "summary", reason: "trigger", messages: 9, before: 900, after: 90, path: "/", usage };
}

const summary = { ...none, model: "small", input: 700, output: 40 };
const compacted = { isEpoch: true, folds: [fold("f", summary)] };
const rows = [
  row(110, 0, { calls: [call("a", 100)] }),
  row(1_010, 110, { calls: [call("b", 1_000)] }),
  row(200, 50, compacted),
  row(310, 200, { calls: [call("c", 300)] }),
  row(410, 310, { calls: [call("d", 400)] }),
];

it("predicts for each call a cache that holds what is equal to the prompt of the call before", () => {
  expect(predictedCalls(rows).map(({ at, predicted }) => [at, predicted.input, predicted.cached])).toEqual([
    [0, 100, 0],
    [1, 1_000, 100],
    [3, 300, 50],
    [4, 400, 300],
  ]);
});

it("takes what the first call reported beyond its messages as sent beside those of every call, where no step measured it", () => {
  const steps = [
    row(110, 0, { calls: [bare("a", 100, 1_100)] }),
    row(510, 110, { calls: [bare("b", 500, 1_490)] }),
  ];
  expect(predictedCalls(steps).map(({ predicted: { input, cached } }) => [input, cached])).toEqual([
    [1_100, 0],
    [1_500, 1_100],
  ]);
});

it("predicts nothing for a call that reported nothing", () => {
  const silent = row(900, 410, { calls: [{ ...call("e", 890), reported: null }] });
  expect(predictedCalls([...rows, silent])).toHaveLength(4);
});

it("counts the summary of a fold and the tokens after its change, at the prices of their models", () => {
  const cost = foldingCost(rows, 2);
  expect(cost).toEqual({ model: "large", rewritten: 150, summaries: [summary] });
  const prices = { input: 2, cachedInput: 0.2, cacheWrite: 3, output: 10 };
  const price =
    cost && priceOfFolding(cost, (model) => (model === "large" ? prices : { ...prices, input: 1 }));
  expect(price).toBeCloseTo((150 * 3 + 700 + 40 * 10) / 1_000_000);
  expect(cost && priceOfFolding(cost, (model) => (model === "large" ? prices : undefined))).toBeUndefined();
  expect(foldingCost(rows, 1)).toBeUndefined();
});

it("counts no rewritten tokens for a result that is shortened before it was sent", () => {
  const arrived = row(500, 410, { folds: [fold("g", null)] });
  expect(foldingCost([...rows, arrived], 5)).toEqual({ model: "large", rewritten: 0, summaries: [] });
});

it("adds up each fold and each reply once, also where an opened fold shows them again", () => {
  const { predicted, summaries, rewritten } = countedBill(
    firstSeen([...rows, row(900, 20, { ...compacted, calls: [call("a", 100)] })]),
  );
  expect(predicted).toEqual([
    { model: "large", calls: 4, input: 1_800, cached: 450, cacheWrites: 1_350, output: 40 },
  ]);
  expect(summaries).toEqual([summary]);
  expect(rewritten).toEqual([{ ...none, model: "large", calls: 1, input: 150, cacheWrites: 150 }]);
});
