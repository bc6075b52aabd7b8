import { expect, it } from "vitest";
import { beam } from "./beam.js";

it("the predictive context and one search show more of what a question is about than chance does", async () => {
  const result = await beam({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(10);
});
