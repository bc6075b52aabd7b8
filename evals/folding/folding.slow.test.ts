import { expect, it } from "vitest";
import { folding } from "./folding.js";

it("folding keeps contexts small and gives every step back", async () => {
  const { passed, cases, numbers } = await folding({ quick: true, args: [], progress: () => {} });
  expect((numbers as { laws: { law: string; held: boolean }[] }).laws.filter(({ held }) => !held)).toEqual(
    [],
  );
  expect({ passed, cases }).toEqual({ passed: true, cases: 3 });
});
