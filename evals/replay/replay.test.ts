import { expect, it } from "vitest";
import { replay } from "./replay.js";

it("replay passes on generated runs, and plays at least one", async () => {
  const result = await replay({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ suite: "replay", passed: true });
  expect(result.cases).toBeGreaterThan(0);
});
