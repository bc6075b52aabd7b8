import { expect, it } from "vitest";
import { palimpsestMiddleware } from "./agents/palimpsest-middleware.js";
import { isSound } from "./facts.js";
import { runScenario } from "./run-scenario.js";
import { scenarios } from "./scenarios/index.js";

it.each(scenarios)("Palimpsest keeps everything, as middleware of an agent: $title", async (scenario) => {
  const facts = await runScenario(scenario, palimpsestMiddleware);
  expect({ facts, sound: isSound(facts) }).toEqual({ facts, sound: true });
});
