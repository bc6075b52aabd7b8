import { expect, it } from "vitest";
import { locomo } from "./locomo.js";

it("search finds what recency and chance do not show", async () => {
  const result = await locomo({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(20);
});
