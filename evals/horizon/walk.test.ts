import { expect, it } from "vitest";
import { fullHistory } from "../policies/unbudgeted.js";
import { generatedStep, needleEvery, needleOf } from "./generated-steps.js";
import { ofPolicy } from "./systems/of-policy.js";
import { walk } from "./walk.js";

it("a needle occurs in its step, and in no other", () => {
  const steps = Array.from({ length: 60 }, (_, step) => JSON.stringify(generatedStep(1, step)));
  for (let step = 0; step < steps.length; step += needleEvery) {
    const { answer } = needleOf(1, step);
    expect(steps.flatMap((text, at) => (text.includes(answer) ? [at] : []))).toEqual([step]);
  }
});

it("a walk ends before the step that overflows", async () => {
  const steps = Array.from({ length: 400 }, (_, step) => generatedStep(1, step));
  const walked = await walk({ system: ofPolicy(fullHistory), window: 4_000, steps, most: 400, seconds: 60 });
  expect(walked.end).toBe("overflow");
  expect(walked.lastPrompt).toBeLessThanOrEqual(4_000);
  expect(walked.marks[0]?.step).toBe(1);
});
