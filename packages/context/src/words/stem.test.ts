import { expect, it } from "vitest";
import { stem } from "./stem.js";

it.each([
  ["plan plans planned planning", "plan"],
  ["study studies studied", "study"],
  ["class classes", "class"],
  ["process processed processing processes", "process"],
  ["file files filed filing", "fil"],
  ["budget budgets budgeting", "budget"],
  ["bus", "bus"],
  ["ring", "ring"],
  ["über", "über"],
])("finds one stem for %s", (forms, expected) => {
  expect(new Set(forms.split(" ").map(stem))).toEqual(new Set([expected]));
});
