import { expect, it } from "vitest";
import { counter } from "./counter.js";

it("our meter knows the size of the next prompt within three percent at the median", async () => {
  const result = await counter({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(30);
});
