import { expect, it } from "vitest";
import { sessions } from "./sessions.js";

it("imported sessions are whole, and search_history finds what their compactions replaced", async () => {
  const result = await sessions({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(20);
});
