import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SuiteResult } from "../suite.js";
import { checkData } from "./check-data.js";
import { runSuite } from "./run-suite.js";

const line = { names: [], quick: true, json: false, readme: false, help: false, args: [] };
const result: SuiteResult = {
  suite: "probe",
  question: "?",
  cases: 1,
  passed: true,
  tables: [],
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

it("a data folder that no suite reads is refused, with the folder to pass", () => {
  const folder = mkdtempSync(join(tmpdir(), "runs-"));
  const sessions = join(folder, "my-sessions");
  expect(() => checkData("no/such/folder")).toThrow("no/such/folder: there is no such folder");
  expect(() => checkData(folder)).toThrow(`--data is ${folder}, which holds no recorded runs`);
  mkdirSync(sessions);
  expect(() => checkData(sessions)).toThrow(`pass the folder that contains it, --data ${folder}`);
  expect(() => checkData(folder)).not.toThrow();
  rmSync(folder, { recursive: true });
});
