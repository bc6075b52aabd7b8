import { array, assert, constant, constantFrom, double, property, record, string } from "fast-check";
import { expect, it } from "vitest";
import type { Comparison } from "../suite.js";
import { verdictOf } from "./verdict.js";

const value = double({ min: 0, max: 1e6, noNaN: true });
const comparison = record<Comparison>({
  measure: constant("bytes"),
  unit: constant("bytes"),
  better: constantFrom("higher", "lower"),
  ours: value,
  rivals: array(record({ name: string(), value }), { minLength: 1 }),
  margin: double({ min: 0, max: 1e3, noNaN: true }),
});

it("a verdict is ahead only when every rival is worse by more than the margin", () => {
  assert(
    property(comparison, (each) => {
      const leads = each.rivals.map(({ value }) =>
        each.better === "higher" ? each.ours - value : value - each.ours,
      );
      expect(verdictOf(each).standing === "ahead").toBe(leads.every((lead) => lead > each.margin));
      expect(verdictOf(each).standing === "behind").toBe(leads.some((lead) => lead < -each.margin));
    }),
  );
});

it("a comparison without a rival has no verdict", () => {
  const alone = { measure: "x", unit: "ms", better: "lower", ours: 1, rivals: [], margin: 0 } as const;
  expect(() => verdictOf(alone)).toThrow('"x" is compared with nobody');
});
