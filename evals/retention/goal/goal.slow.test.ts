import { AIMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { liveModel } from "../../live/live-model.js";
import { localServer } from "../../live/local-server.js";
import { fullHistory, lastSteps } from "../../policies/unbudgeted.js";
import type { Ablated } from "./ablate-prompt.js";
import { goalRun } from "./goal-runs.js";
import { goal } from "./goal.js";
import { measureGoal } from "./measure-goal.js";

const small = { contextWindow: 8_000, steps: 90, progress: () => undefined };

it("every strategy of ours keeps a goal that comes first, comes in mid-run or changes in mid-run", async () => {
  const result = await goal({ ...small, quick: true });
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(1_000);
  const { ablated } = result.numbers as { ablated: readonly Ablated[] };
  const [shipped, ...shorter] = ablated;
  expect(shorter.map(({ variant }) => variant)).toEqual([
    "without intent",
    "without next steps",
    "without both",
  ]);
  // Extraction keeps the next step, also when the prompt does not ask for it.
  expect(ablated.map(({ next }) => next)).toEqual([1, 1, 1, 1]);
  expect(shorter[0]!.goalInSummary).toBeLessThan(shipped!.goalInSummary);
});

it("a policy that keeps the first and the newest user message loses a goal that changes in mid-run", async () => {
  const runs = [goalRun({ form: "changed in mid-run", seed: 1, steps: 60 })];
  const full = await measureGoal(runs, fullHistory, 8_000);
  expect(full).toMatchObject({ whole: 1, named: 1, misled: 0 });
  const last = await measureGoal(runs, lastSteps(10), 8_000);
  expect(last.misled).toBeGreaterThan(0.5);
  expect(last.whole).toBeLessThan(0.5);
});

it("the prompt is ablated with a model behind an endpoint", async () => {
  const server = await localServer(() => new AIMessage("## Findings\n- The hosts were read"));
  try {
    const local = () => liveModel({ name: "local", window: 8_000, baseUrl: server.url });
    const { tables } = await goal({ ...small, quick: true, live: { local } });
    expect(tables[1]?.rows.map(([summary]) => summary)).toEqual(
      ["obedient", "local"].flatMap((name) => Array.from({ length: 4 }, () => name)),
    );
    expect(server.count()).toBeGreaterThan(4);
  } finally {
    await server.close();
  }
});
