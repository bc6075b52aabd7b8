import { expect, it } from "vitest";
import { knownFaults } from "./known-faults.js";
import { runHosts } from "./run-hosts.js";

it("the fuzzer of hosts finds no broken law in any host, but for the faults that are listed", async () => {
  const run = { seed: 20_261, milliseconds: 240_000, most: 400, known: knownFaults };
  const { scripts, violations } = await runHosts(run);
  expect(violations).toEqual([]);
  expect(scripts).toBeGreaterThan(0);
});
