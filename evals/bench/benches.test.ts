import { expect, it } from "vitest";
import { benches } from "./benches.js";

it.each([
  ["offload", "offload"],
  ["recall", "recall-index"],
  ["search", "search"],
  ["steps", "steps"],
])("the small version of the bench %s holds", async (name, suite) => {
  const bench = await benches[name]?.();
  const result = await bench?.({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ suite, passed: true });
  expect(result?.cases).toBeGreaterThan(0);
});
