import { describe, expect, it } from "vitest";
import type { RankingRecall } from "./measure-ranking.js";
import { predictiveContext } from "./product-rankings.js";
import { bm25, bm25FirstSpeaker } from "./rankings.js";
import { holds, shippedComparisons } from "./shipped-bars.js";

function recall(ranking: string, mean: number): RankingRecall {
  return {
    ranking,
    budget: 2_000,
    evidence: { mean, low: mean, high: mean, count: 9 },
    changed: [],
  };
}

function group(name: string, ours: number) {
  const recalls = [
    recall(predictiveContext.name, ours),
    recall(bm25.name, 0.4),
    recall(bm25FirstSpeaker.name, 0.6),
  ];
  return { name, recalls };
}

describe("bars of what ships", () => {
  it("a ranking that is behind the best other by more than a point at one length fails", () => {
    const comparisons = shippedComparisons([group("100K", 0.9), group("500K", 0.58)], [2_000]);
    expect(holds(comparisons)).toBe(false);
  });

  it("a ranking within a point of the best other holds", () => {
    expect(holds(shippedComparisons([group("100K", 0.595)], [2_000]))).toBe(true);
  });

  it("no comparison at all does not hold", () => {
    expect(holds(shippedComparisons([group("100K", 0.9)], [8_000]))).toBe(false);
  });
});
