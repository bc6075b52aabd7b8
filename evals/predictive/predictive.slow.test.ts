import { expect, it } from "vitest";
import { predictive } from "./predictive.js";

const asked = { quick: true, args: [], progress: () => undefined };

it("every selection stays under its budget on generated runs and threads", async () => {
  const result = await predictive(asked);
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(30);
  expect(result.tables.map(({ rows }) => rows.length > 0)).toEqual([true, true, true, true]);
});

it("a horizon that is not a number of steps is refused", async () => {
  const refused = predictive({ ...asked, quick: false, args: ["--steps", "many"] });
  await expect(refused).rejects.toThrow("--steps is many");
});
