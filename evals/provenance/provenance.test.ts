import { expect, it } from "vitest";
import { provenance } from "./provenance.js";

it("the ladder is not below a mask of ten steps at equal tokens, between the control and the ceiling", async () => {
  const result = await provenance({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(30);
});
