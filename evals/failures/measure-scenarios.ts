import { palimpsestMiddleware } from "./agents/palimpsest-middleware.js";
import { palimpsestNodes } from "./agents/palimpsest-nodes.js";
import { isSound, type Facts } from "./facts.js";
import { runScenario } from "./run-scenario.js";
import type { Scenario } from "./scenario.js";

/** The outcome of each system in one scenario. */
export interface ScenarioRow {
  readonly title: string;
  readonly peer: string;
  readonly peerFacts: Facts;
  /** Palimpsest as nodes of a graph built by hand. */
  readonly nodes: Facts;
  /** Palimpsest as middleware of `createAgent`. */
  readonly middleware: Facts;
  /** Palimpsest kept everything, both ways. */
  readonly sound: boolean;
}

/** Returns a row for each scenario, measured one after the other. */
export async function measureScenarios(
  scenarios: readonly Scenario[],
  onRow: (row: ScenarioRow) => void,
): Promise<readonly ScenarioRow[]> {
  const rows: ScenarioRow[] = [];
  for (const scenario of scenarios) {
    const nodes = await runScenario(scenario, palimpsestNodes);
    const middleware = await runScenario(scenario, palimpsestMiddleware);
    const peerFacts = await runScenario(scenario, scenario.buildPeer);
    const sound = isSound(nodes) && isSound(middleware);
    const { title, peer } = scenario;
    const row = { title, peer, peerFacts, nodes, middleware, sound };
    rows.push(row);
    onRow(row);
  }
  return rows;
}
