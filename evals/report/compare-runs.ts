import { readFileSync } from "node:fs";
import type { Comparison, Table } from "../suite.js";
import { formatValue } from "./format-value.js";
import type { KeptRun } from "./kept-runs.js";
import { tableOf } from "./table-of.js";

/** A change of a measure beyond this factor, against that of the other systems, is no noise of the machine. */
const noise = 1.25;

/**
 * Returns the runs of a `report.json` that an earlier command wrote.
 *
 * @throws Error that names the file when it is not there or is no report.
 */
export function readReport(path: string): readonly KeptRun[] {
  let report: { readonly runs?: unknown };
  try {
    report = JSON.parse(readFileSync(path, "utf8")) as typeof report;
  } catch (cause) {
    throw new Error(`--compare is ${path}: cannot be read as JSON`, { cause });
  }
  if (!Array.isArray(report.runs))
    throw new Error(`--compare is ${path}: not a report; copy evals/report/out/report.json before a change`);
  return report.runs as readonly KeptRun[];
}

/**
 * Returns each measure of these runs against the same measure of earlier ones, as ratios.
 *
 * The best other system was measured in both runs: its ratio is that of the machine, and ours divided by it that of the
 * change. Measures of other suites, or that only one of the runs has, are left out. Pure.
 */
export function compareRuns(before: readonly KeptRun[], after: readonly KeptRun[]): Table {
  const changes = after.flatMap(({ result: { suite, comparisons = [] } }) => {
    const earlier = before.find(({ result }) => result.suite === suite)?.result.comparisons ?? [];
    return comparisons.flatMap((now) => {
      const then = earlier.find(({ measure }) => measure === now.measure);
      if (then === undefined) return [];
      const [ours, others] = [now.ours / then.ours, meanRatio(then, now)];
      return [{ suite, earlier: then, now, ours, others, change: ours / others }];
    });
  });
  return tableOf(changes, {
    title: "Against an earlier run",
    columns: [
      ["suite", ({ suite }) => suite],
      ["measure", ({ now }) => now.measure],
      ["before", ({ earlier }) => formatValue(earlier.ours, earlier.unit)],
      ["now", ({ now }) => formatValue(now.ours, now.unit)],
      ["ours", ({ ours }) => times(ours)],
      ["others", ({ others }) => times(others)],
      ["change", ({ change }) => times(change)],
      ["", ({ now, change }) => standing(now.better === "lower" ? change : 1 / change)],
    ],
    note: `Ours and others: now divided by before, of others the geometric mean. Change: ours divided by others; "worse" and "better" from ${noise}× on.`,
  });
}

/** Returns the geometric mean of the ratios of the systems that both runs measured; 1 without any. */
function meanRatio(then: Comparison, now: Comparison): number {
  const logs = now.rivals.flatMap(({ name, value }) => {
    const earlier = then.rivals.find((rival) => rival.name === name)?.value;
    const log = earlier === undefined ? Number.NaN : Math.log(value / earlier);
    return Number.isFinite(log) ? [log] : [];
  });
  return logs.length === 0 ? 1 : Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
}

function standing(growth: number): string {
  if (growth >= noise) return "worse";
  return growth <= 1 / noise ? "better" : "";
}

function times(ratio: number): string {
  return Number.isFinite(ratio) ? `${Number(ratio.toPrecision(2))}×` : "–";
}
