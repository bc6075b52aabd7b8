import { expect, it } from "vitest";
import { horizon } from "./horizon.js";

it("our ladder never overflows and finds every needle again; the full history overflows", async () => {
  const result = await horizon({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ suite: "horizon", passed: true });
  expect(result.tables[0]?.rows[0]?.slice(0, 4)).toEqual([
    "full history",
    16_000,
    expect.any(Number),
    "overflow",
  ]);
});
