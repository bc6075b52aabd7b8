import type { BuildAgent } from "./agents/agent.js";
import { factsOf, type Facts } from "./facts.js";
import type { Scenario } from "./scenario.js";
import { recordOutputs } from "./world/record-outputs.js";

/** Returns what was measured of one system in a scenario. */
export async function runScenario(
  { world: makeWorld, play, options, measure }: Scenario,
  build: BuildAgent,
): Promise<Facts> {
  const world = makeWorld();
  const outputs = recordOutputs(world);
  const agent = build(world, options);
  try {
    await play(agent, world);
    const facts = await factsOf(agent, world, outputs);
    return measure === undefined ? facts : { ...facts, finding: await measure(agent, world) };
  } finally {
    agent.close();
  }
}
