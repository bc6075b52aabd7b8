import { expect, it } from "vitest";
import type { SuiteResult } from "../suite.js";
import { bar } from "./progress.js";
import { runSuite } from "./run-suite.js";

const line = { names: [], quick: true, json: false, readme: false, help: false, args: [] };
const result: SuiteResult = {
  suite: "probe",
  question: "?",
  cases: 1,
  passed: true,
  tables: [],
  charts: [],
  numbers: {},
};

it("a suite that played no case does not pass", async () => {
  const none = await runSuite("probe", async () => ({ ...result, cases: 0 }), line);
  const one = await runSuite("probe", async () => result, line);
  expect([none.result.passed, one.result.passed]).toEqual([false, true]);
});

it("a comparison without a rival is refused before the run is kept for the report", async () => {
  const alone = { measure: "x", unit: "ms", better: "lower", ours: 1, rivals: [], margin: 0 } as const;
  const run = runSuite("probe", async () => ({ ...result, comparisons: [alone] }), line);
  await expect(run).rejects.toThrow('"x" is compared with nobody');
});

it("a data folder that does not exist is refused", async () => {
  const run = runSuite("probe", async () => result, { ...line, data: "no/such/folder" });
  await expect(run).rejects.toThrow("no/such/folder: there is no such folder");
});

it("the progress bar shows the part that a line names", () => {
  expect(bar("12/24 steps")).toBe(`${"█".repeat(12)}${"░".repeat(12)} `);
  expect(bar("no part")).toBe("");
});
