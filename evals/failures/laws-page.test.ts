import { expect, it } from "vitest";
import { lawsIn, missingTests, readPage } from "./laws-page.js";

it("every test that the laws name exists, and every law names one", () => {
  const laws = lawsIn(readPage());
  expect(laws.map(({ name }) => name)).toMatchObject([
    ...Array.from({ length: 14 }, (_, law) => expect.stringMatching(`^${law + 1}\\. `)),
    "Erasure on request, the one exception",
  ]);
  expect(missingTests(laws)).toEqual([]);
});

it("a named test that does not exist is reported, also where its name occurs elsewhere in the file", () => {
  const file = "evals/failures/laws-page.test.ts";
  const names = ["a name that is only data", "every test that the laws name exists, and every law names one"];
  const tests = names.map((name) => `${file}: ${name}`);
  expect(missingTests([{ name: "", tests }])).toEqual(tests.slice(0, 1));
  const nowhere = ["evals/none.test.ts: x"];
  expect(missingTests([{ name: "", tests: nowhere }])).toEqual(nowhere);
});
