import { expect, it } from "vitest";
import { counter } from "./counter.js";

it("our meter knows the size of the next prompt nearer than any other for 95 prompts of 100", async () => {
  const result = await counter({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(30);
});
