import { expect, it } from "vitest";
import { generateTrajectory } from "../data/made/generate-trajectory.js";
import { replayTrajectory } from "./replay-trajectory.js";

it.each([8_000, 32_000])(
  "the ladder keeps a run inside a window of %i tokens and gives all of it back",
  async (window) => {
    const result = await replayTrajectory(generateTrajectory({ seed: 7 }), { window, tight: true });
    expect(result).toMatchObject({
      intact: true,
      illegal: 0,
      promptsWithoutGoal: 0,
      brokenPointers: 0,
      promptsOver: 0,
    });
    expect(result.peakPromptTokens).toBeLessThanOrEqual(window);
    expect(result.threadTokens).toBeGreaterThan(4 * window);
    expect(Object.keys(result.folds)).toEqual(expect.arrayContaining(["offload", "summary"]));
  },
);
