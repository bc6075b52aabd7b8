import { expect, it } from "vitest";
import { cloze } from "./cloze.js";

it("finds again what left the context, through the agent's own tools", async () => {
  const result = await cloze({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(10);
});
