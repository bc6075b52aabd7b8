import { expect, it } from "vitest";
import { notes } from "./notes.js";

it("a new thread finds what earlier threads said, and no old value alone", async () => {
  const result = await notes({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(20);
});
