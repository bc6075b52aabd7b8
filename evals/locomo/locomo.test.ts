import { expect, it } from "vitest";
import { locomo } from "./locomo.js";

it("finds by search what recency and chance do not show", async () => {
  const result = await locomo({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(20);
});
