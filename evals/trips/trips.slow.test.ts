import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../root.js";

it("every trip enters functions, and every count finds what it counts", () => {
  const main = join(root, "evals/dist/trips/main.js");
  const { trips, counts } = JSON.parse(
    execFileSync(process.execPath, [main, "--json"], { encoding: "utf8" }),
  ) as { trips: Record<string, { functions: number; statements?: number }>; counts: Record<string, number> };
  const empty = Object.entries(trips).filter(([, { functions }]) => functions === 0);
  expect(Object.keys(trips)).toHaveLength(8);
  expect(empty).toEqual([]);
  expect(trips["put of 22 messages"]?.statements).toBeGreaterThan(1);
  expect(trips["put of 22 messages"]?.statements).toBeLessThanOrEqual(30);
  expect(trips["getTuple of 22 messages"]?.statements).toBeGreaterThan(1);
  expect(counts["calls of mustThrow"]).toBeGreaterThan(0);
  expect(counts["lines of packages/*/src without tests"]).toBeGreaterThan(10_000);
});
