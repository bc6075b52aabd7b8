import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Comparison } from "../suite.js";
import { compareRuns, readReport } from "./compare-runs.js";
import type { KeptRun } from "./kept-runs.js";

function run(...comparisons: readonly Partial<Comparison>[]): readonly KeptRun[] {
  const whole = comparisons.map((one) => ({
    measure: "step",
    unit: "ms",
    better: "lower",
    margin: 0,
    ...one,
  }));
  return [{ result: { suite: "steps", comparisons: whole } } as unknown as KeptRun];
}

const others = (value: number) => [{ name: "a", value }];

it.each([
  ["", "on a machine that is twice as slow", { ours: 20, rivals: others(200) }],
  ["worse", "when only ours takes longer", { ours: 20, rivals: others(100) }],
  ["better", "when only ours takes less", { ours: 5, rivals: others(100) }],
])("says %j of a measure %s", (standing, _, now) => {
  const { rows } = compareRuns(run({ ours: 10, rivals: others(100) }), run(now));
  expect(rows.map((row) => row.at(-1))).toEqual([standing]);
});

it("says worse of a share that falls", () => {
  const recall = { measure: "recall", unit: "share", better: "higher", rivals: others(0.5) } as const;
  const { rows } = compareRuns(run({ ...recall, ours: 0.9 }), run({ ...recall, ours: 0.6 }));
  expect(rows.map((row) => row.at(-1))).toEqual(["worse"]);
});

it("leaves out what only one of the runs has measured", () => {
  const { rows } = compareRuns(
    run({ ours: 1, rivals: others(1) }),
    run({ measure: "new", ours: 1, rivals: others(1) }),
  );
  expect(rows).toEqual([]);
});

it("refuses a file that is no report, and names it", () => {
  const path = join(mkdtempSync(join(tmpdir(), "report-")), "file.json");
  expect(() => readReport(path)).toThrow(`${path}: cannot be read`);
  writeFileSync(path, "{}");
  expect(() => readReport(path)).toThrow(`${path}: not a report`);
});
