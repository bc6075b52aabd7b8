import { expect, it } from "vitest";
import { counter } from "./counter.js";

it("our meter knows the size of the next prompt in every situation within its bar", async () => {
  const result = await counter({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(30);
  expect(result.numbers).toMatchObject({ sent: expect.toSatisfy((sent: number) => sent > 100), over: 0 });
});
