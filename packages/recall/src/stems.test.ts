import { expect, it } from "vitest";
import { stemOf } from "./stems.js";

it.each([
  ["tests", "test"],
  ["tested", "test"],
  ["testing", "test"],
  ["boxes", "box"],
  ["bus", "bus"],
  ["ring", "ring"],
  ["thing", "thing"],
  ["über", "über"],
  ["src/tests", "src/tests"],
  ["md5s", "md5s"],
])("makes %s to %s", (word, stem) => {
  expect(stemOf(word)).toBe(stem);
});
