import { expect, it } from "vitest";
import { isSound, type Facts } from "./facts.js";
import { runScenario } from "./measure-scenario.js";
import { clearedResults } from "./scenarios/cuts.js";
import { scenarios } from "./scenarios/index.js";

const sound: Facts = {
  bytesLost: 0,
  bytesDestroyed: 0,
  runsKilled: 0,
  unseen: 0,
  toSee: 3,
  summaryCalls: 2,
  extraSummaryCalls: 1,
  compactions: 1,
  finding: { text: "", sound: true },
};

it.each<Partial<Facts>>([
  { bytesLost: 1 },
  { bytesDestroyed: 1 },
  { runsKilled: 1 },
  { unseen: 1 },
  { extraSummaryCalls: 2 },
  { finding: { text: "", sound: false } },
])("a run with %o is not sound", (harm) => {
  expect(isSound(sound)).toBe(true);
  expect(isSound({ ...sound, ...harm })).toBe(false);
});

it("bytes that a system loses for good are counted", async () => {
  const facts = await runScenario(clearedResults, clearedResults.buildPeer);
  expect(facts.bytesDestroyed).toBeGreaterThan(10_000);
});

it("every scenario has a unique title", () => {
  expect(scenarios.length).toBeGreaterThan(30);
  expect(new Set(scenarios.map(({ title }) => title)).size).toBe(scenarios.length);
});
