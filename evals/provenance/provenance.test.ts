import { expect, it } from "vitest";
import { generateTrajectory } from "../data/made/generate-trajectory.js";
import { stepsOf } from "../data/steps.js";
import { deepAgents } from "../policies/deep-agents.js";
import { maskResults } from "../policies/unbudgeted.js";
import { oracle } from "../policies/oracle.js";
import { recency } from "../policies/recency.js";
import { measurePolicy } from "./measure-policy.js";
import { measureSet } from "./measure-set.js";
import { provenance } from "./provenance.js";

it("generated runs tell systems apart: recency, a mask, deepagents and the ceiling spread over 30 points", async () => {
  const runs = [generateTrajectory({ seed: 1, steps: 60 })].map(stepsOf);
  const all: (number | undefined)[] = [];
  for (const policy of [recency, maskResults(10), deepAgents, oracle]) {
    const measured = await measurePolicy(runs, policy, { budget: 8_000 });
    all.push(measured.all?.mean);
  }
  const [newest = 1, mask = 1, theirs = 1, ceiling = 0] = all;
  expect(ceiling - theirs).toBeGreaterThan(0.3);
  expect(ceiling - Math.max(newest, mask)).toBeGreaterThan(0.1);
});

it("the ladder is not below a mask of ten steps at equal tokens, between the control and the ceiling", async () => {
  const result = await provenance({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(30);
});

it("a set is measured with the policies that are asked for, at the budgets and further windows", async () => {
  const set = { name: "made", trajectories: [generateTrajectory({ seed: 1, steps: 20 })] };
  const scale = { budgets: [4_000], windows: [6_000], seeds: [1], only: [recency, deepAgents] };
  const { recalls } = await measureSet(set, scale, () => undefined);
  expect(recalls.map(({ policy, budget }) => [policy, budget])).toEqual([
    [recency.name, 4_000],
    [deepAgents.name, 4_000],
    [deepAgents.name, 6_000],
  ]);
});
