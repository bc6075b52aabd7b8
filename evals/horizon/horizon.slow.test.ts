import { expect, it } from "vitest";
import { maskResults } from "./systems/mask-results.js";
import { horizon } from "./horizon.js";
import { cumulativeSummary } from "./systems/cumulative-summary.js";
import { deepAgents } from "./systems/deep-agents.js";
import { ourFolding, ourPace } from "./systems/ours.js";

it("our ladder never overflows and finds every needle again; the full history overflows", async () => {
  const result = await horizon({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ suite: "horizon", passed: true });
  expect(result.tables[0]?.rows[0]?.slice(0, 4)).toEqual([
    "full history",
    16_000,
    expect.any(Number),
    "overflow",
  ]);
  const systems = result.tables[0]?.rows.map(([system]) => system);
  const rivals = [cumulativeSummary.name, maskResults(10).name, deepAgents.name];
  expect(systems).toEqual(expect.arrayContaining(rivals));
  expect(systems).toEqual(expect.arrayContaining([ourFolding.name, ourPace(0.5).name, ourPace(1).name]));
});
