import { describe, expect, it } from "vitest";
import { ratioOfGrowth } from "./ratio-of-growth.js";
import type { Anchor } from "./usage-anchors.js";

const step = (counted: number, input: number): Anchor => ({ counted, input });

describe("ratioOfGrowth", () => {
  it("is the tokens of the provider for each token of the counter, over all calls", () => {
    expect(ratioOfGrowth([step(800, 640), step(400, 480), step(100, 80)])).toBeCloseTo(1_200 / 1_300);
  });

  it("is unknown while the prompts have grown too little, and after a prompt that only became smaller", () => {
    expect(ratioOfGrowth([])).toBeUndefined();
    expect(ratioOfGrowth([step(400, 400), step(500, 500)])).toBeUndefined();
    expect(ratioOfGrowth([step(1_200, -300)])).toBeUndefined();
  });

  it("leaves out a prompt that became smaller while messages were added", () => {
    expect(ratioOfGrowth([step(93, -228), step(764, 764), step(438, 438)])).toBe(1);
  });

  it("leaves out a call that grew by less than half of what is usual, whatever is usual", () => {
    expect(ratioOfGrowth([step(2_000, 100), step(3_000, 4_200)])).toBeCloseTo(1.4);
    expect(ratioOfGrowth([step(2_000, 100), step(3_000, 1_800)])).toBeCloseTo(0.6);
  });

  it("is not below 1 because of one call, however large its part of the growth", () => {
    expect(ratioOfGrowth([step(9_000, 6_000), step(200, 200)])).toBe(1);
    expect(ratioOfGrowth([step(9_000, 6_000), step(200, 180), step(200, 170)])).toBeCloseTo(0.85);
  });

  it("is finite with a counter that counts nothing", () => {
    expect(ratioOfGrowth([step(0, 90), step(2_000, 2_000)])).toBeCloseTo(1.045);
  });
});
