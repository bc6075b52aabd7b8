import { expect, it } from "vitest";
import { runHosts } from "./hosts/run-hosts.js";
import { strategies } from "./hosts/strategies.js";
import { runFuzz } from "./run-fuzz.js";

it("the fuzzer finds no broken law in generated threads", async () => {
  const report = await runFuzz({ seed: 20_260, milliseconds: 240_000, most: 1_000 });
  expect(report).toEqual({ histories: 1_000, violations: [] });
});

it("random scripts break no law in any host", async () => {
  const [batches, scripts] = [strategies.length, 2];
  const report = await runHosts({ seed: 20_260, milliseconds: 600_000, batches, scripts });
  expect(report).toMatchObject({ scripts: batches * scripts, violations: [] });
});
