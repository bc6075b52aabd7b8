import type { BuildAgent } from "./agents/agent.js";
import { palimpsestMiddleware, palimpsestNodes } from "./agents/palimpsest-agents.js";
import { factsOf, isSound, type Facts } from "./facts.js";
import type { Scenario } from "./scenario.js";
import type { World } from "./world/world.js";

/** The outcome of each system in one scenario. */
export interface ScenarioRow extends Pick<Scenario, "title" | "peer"> {
  readonly peerFacts: Facts;
  /** Palimpsest as nodes of a graph built by hand. */
  readonly nodes: Facts;
  /** Palimpsest as middleware of `createAgent`. */
  readonly middleware: Facts;
  /** Palimpsest kept everything, both ways. */
  readonly sound: boolean;
}

/** Returns the outcome of each system in a scenario, played one after the other. */
export async function measureScenario(scenario: Scenario): Promise<ScenarioRow> {
  const nodes = await runScenario(scenario, palimpsestNodes);
  const middleware = await runScenario(scenario, palimpsestMiddleware);
  const peerFacts = await runScenario(scenario, scenario.buildPeer);
  const sound = isSound(nodes) && isSound(middleware);
  return { title: scenario.title, peer: scenario.peer, peerFacts, nodes, middleware, sound };
}

/** Returns what was measured of one system in a scenario. */
export async function runScenario(scenario: Scenario, build: BuildAgent): Promise<Facts> {
  const world = scenario.world();
  const outputs = recordOutputs(world);
  const agent = build(world, scenario.options);
  try {
    const finding = await scenario.play(agent, world);
    const facts = await factsOf(agent, world, outputs);
    return finding === undefined ? facts : { ...facts, finding };
  } finally {
    agent.close();
  }
}

/** Returns the list to which every tool of a new world adds what it returns, at the moment it does. */
function recordOutputs({ tools = [] }: World): readonly string[] {
  const outputs: string[] = [];
  for (const tool of tools) {
    const { func } = tool;
    tool.func = async (...args: Parameters<typeof func>) => {
      const output: unknown = await func(...args);
      outputs.push(typeof output === "string" ? output : JSON.stringify(output));
      return output;
    };
  }
  return outputs;
}
