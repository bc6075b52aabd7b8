import { expect, it } from "vitest";
import { isSound, type Facts } from "./facts.js";
import { runScenario } from "./run-scenario.js";
import { clearedResults } from "./scenarios/cleared-results.js";
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
])("takes no run for sound that has %o", (harm) => {
  expect(isSound(sound)).toBe(true);
  expect(isSound({ ...sound, ...harm })).toBe(false);
});

it("sees what a system loses for good", async () => {
  const facts = await runScenario(clearedResults, clearedResults.buildPeer);
  expect(facts.bytesDestroyed).toBeGreaterThan(10_000);
});

it("has scenarios, each with a title of its own", () => {
  expect(scenarios.length).toBeGreaterThan(30);
  expect(new Set(scenarios.map(({ title }) => title)).size).toBe(scenarios.length);
});
