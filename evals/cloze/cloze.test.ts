import { expect, it } from "vitest";
import { cloze } from "./cloze.js";

it("the agent's own tools find again what left the context", async () => {
  const result = await cloze({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(10);
});
