import * as fc from "fast-check";
import { expect, it } from "vitest";
import { generateTrajectory } from "../data/made/generate-trajectory.js";
import { stepsOf } from "../data/steps.js";
import { charsOverFour } from "../data/text-of.js";
import { playPolicy } from "../metrics/play-policy.js";
import { provenanceOf } from "../metrics/provenance.js";
import { ChunkLog } from "./chunk-log.js";
import { fullHistory } from "./unbudgeted.js";
import { oracle } from "./oracle.js";
import { selectionPolicies } from "./policies.js";

const steps = stepsOf(generateTrajectory({ seed: 5, steps: 24 }));

it.each(selectionPolicies)(
  "$name shows the base, keeps the order and stays in the budget beyond it",
  async (policy) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 500, max: 20_000 }), async (budget) => {
        const log = new ChunkLog();
        const order = steps.flatMap(({ added }) => added);
        for await (const { step, context } of playPolicy(steps, policy, { budget })) {
          log.add(step.added);
          const base = log.base.flatMap(({ messages }) => messages);
          const places = context.map((message) => order.indexOf(message));
          expect(places).toEqual(places.toSorted((a, b) => a - b));
          expect(base.every((message) => context.includes(message))).toBe(true);
          expect(charsOverFour(context)).toBeLessThanOrEqual(Math.max(budget, charsOverFour(base) + 1));
        }
      }),
      { numRuns: 5 },
    );
  },
);

it("the full history holds everything, and the oracle nearly everything", async () => {
  const recall = { full: [] as number[], oracle: [] as number[] };
  for await (const { step, context } of playPolicy(steps, fullHistory, { budget: 0 }))
    recall.full.push(provenanceOf(step, context).all ?? 1);
  for await (const { step, context } of playPolicy(steps, oracle, { budget: 16_000 }))
    recall.oracle.push(provenanceOf(step, context).all ?? 1);
  expect(recall.full.every((share) => share === 1)).toBe(true);
  expect(recall.oracle.reduce((sum, share) => sum + share, 0) / recall.oracle.length).toBeGreaterThan(0.95);
});
