import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { laws } from "./laws.js";
import { missingTests } from "./missing-tests.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));

it("finds every test that the twelve laws name", () => {
  expect(missingTests(laws, root)).toEqual([]);
  expect(laws.map(({ tests }) => tests.length > 0)).toEqual(Array(12).fill(true));
});

it("misses a test that nobody wrote, also where its name stands in another place", () => {
  const file = "evals/failures/laws/missing-tests.test.ts";
  const names = ["a name that is only data", "finds every test that the twelve laws name"];
  const law = { name: "", means: "", tests: names.map((name) => ({ file, name })) };
  expect(missingTests([law], root)).toEqual([`${file}: ${names[0]}`]);
  const nowhere = { ...law, tests: [{ file: "evals/none.test.ts", name: "x" }] };
  expect(missingTests([nowhere], root)).toEqual(["evals/none.test.ts: x"]);
});
