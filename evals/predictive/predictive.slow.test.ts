import { expect, it } from "vitest";
import { predictive } from "./predictive.js";

const asked = { quick: true, args: [], progress: () => undefined };

it("every selection stays under its budget on generated runs", async () => {
  const result = await predictive(asked);
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(30);
  expect(result.tables.map(({ rows }) => rows.length > 0)).toEqual([true, true]);
});

it("a budget that is no number and a set that is not there are refused", async () => {
  await expect(predictive({ ...asked, args: ["--budget", "many"] })).rejects.toThrow("--budget is many");
  await expect(predictive({ ...asked, args: ["--set", "none"] })).rejects.toThrow("--set is none");
});
