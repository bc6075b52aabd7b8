import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../root.js";

it("every trip enters functions, and a checkpoint takes few statements", () => {
  const main = join(root, "evals/dist/trips/main.js");
  const output = execFileSync(process.execPath, [main, "--json"], { encoding: "utf8" });
  const trips = JSON.parse(output) as Record<string, { functions: number; statements?: number }>;
  expect(Object.keys(trips)).toHaveLength(8);
  expect(Object.entries(trips).filter(([, { functions }]) => functions === 0)).toEqual([]);
  expect(trips["put of 21 messages"]?.statements).toBeGreaterThan(1);
  expect(trips["put of 21 messages"]?.statements).toBeLessThanOrEqual(30);
  expect(trips["getTuple of 21 messages"]?.statements).toBeGreaterThan(1);
});
