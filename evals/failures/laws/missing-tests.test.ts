import { expect, it } from "vitest";
import { root } from "../../root.js";
import { laws } from "./laws.js";
import { missingTests } from "./missing-tests.js";

it("every test that the laws name exists", () => {
  expect(missingTests(laws, root)).toEqual([]);
  expect(laws.map(({ tests }) => tests.length > 0)).toEqual(Array(14).fill(true));
});

it("a named test that does not exist is reported, also where its name occurs elsewhere in the file", () => {
  const file = "evals/failures/laws/missing-tests.test.ts";
  const names = ["a name that is only data", "every test that the laws name exists"];
  const law = { name: "", means: "", tests: names.map((name) => `${file}: ${name}`) };
  expect(missingTests([law], root)).toEqual([`${file}: ${names[0]}`]);
  const nowhere = { ...law, tests: ["evals/none.test.ts: x"] };
  expect(missingTests([nowhere], root)).toEqual(["evals/none.test.ts: x"]);
});
