import { expect, it } from "vitest";
import { palimpsestNodes } from "./agents/palimpsest-nodes.js";
import { isSound } from "./facts.js";
import { runScenario } from "./run-scenario.js";
import { scenarios } from "./scenarios/index.js";

it.each(scenarios)("Palimpsest keeps everything, as nodes of a graph: $title", async (scenario) => {
  const facts = await runScenario(scenario, palimpsestNodes);
  expect({ facts, sound: isSound(facts) }).toEqual({ facts, sound: true });
});
