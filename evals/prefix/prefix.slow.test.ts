import { describe, expect, it } from "vitest";
import { playPrefix } from "./play.js";
import type { Journey } from "./script.js";
import { prefixSystems } from "./systems.js";
import { pages } from "./works.js";

const systemNamed = (name: string) => {
  const found = prefixSystems.find((system) => system.name === name);
  if (found === undefined) throw new Error(`No system ${name}`);
  return found;
};
const straight = { provider: "anthropic" as const, window: 16_000, journey: "straight" as const };
const journeys: readonly Journey[] = ["straight", "streaming", "resume", "fork", "overflow", "unfold"];

describe.each(["anthropic", "openai"] as const)("with a model of %s", (provider) => {
  it.each(journeys)("no call of the ladder loses reasoning: %s", async (journey) => {
    const system = systemNamed("compactionNode");
    const row = await playPrefix({ ...straight, provider, system, journey, work: pages(30) });
    expect(row).toMatchObject({ refused: 0, dropped: 0, keptBetween: 1, prefixBetween: 1 });
    expect(row).not.toHaveProperty("failure");
    expect(row.calls).toBeGreaterThan(30);
    expect(row.rewrites).toBeGreaterThan(0);
  });
});

it("a system that edits history and sends its reasoning along has calls refused", async () => {
  const system = systemNamed("langchain summarization");
  const row = await playPrefix({ ...straight, system, work: pages(30) });
  expect(row.refused).toBeGreaterThan(0);
  expect(row.dropped).toBeGreaterThan(0);
});
