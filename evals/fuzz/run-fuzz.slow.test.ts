import { expect, it } from "vitest";
import { runFuzz } from "./run-fuzz.js";

it("the fuzzer finds no broken law in generated threads", async () => {
  const report = await runFuzz({ seed: 20_260, milliseconds: 240_000, most: 1_000 });
  expect(report).toEqual({ histories: 1_000, violations: [] });
});
