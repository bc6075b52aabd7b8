import { describe, expect, it } from "vitest";
import { palimpsestMiddleware, palimpsestNodes } from "./agents/palimpsest-agents.js";
import { isSound } from "./facts.js";
import { runScenario } from "./measure-scenario.js";
import { scenarios } from "./scenarios/index.js";

describe.each([
  { name: "nodes of a graph", build: palimpsestNodes },
  { name: "middleware of an agent", build: palimpsestMiddleware },
])("Palimpsest keeps everything, as $name", ({ build }) => {
  it.each(scenarios)("$title", async (scenario) => {
    const facts = await runScenario(scenario, build);
    expect({ facts, sound: isSound(facts) }).toEqual({ facts, sound: true });
  });
});
