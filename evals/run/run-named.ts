import { compareRuns, readReport } from "../report/compare-runs.js";
import { environment } from "../report/environment.js";
import { keepRun, type KeptRun } from "../report/kept-runs.js";
import { markdownSection } from "../report/markdown.js";
import { writeReport } from "../report/write-report.js";
import type { Suite, SuiteResult } from "../suite.js";
import type { CommandLine } from "./command-line.js";
import { checkData } from "./check-data.js";
import { runSuite } from "./run-suite.js";

export interface RunNamedOptions {
  readonly line: CommandLine;
  /** Suites to run, in order. */
  readonly names: readonly string[];
  readonly registry: Readonly<Record<string, () => Promise<Suite>>>;
}

/**
 * Runs suites, prints and keeps what each measured, and writes the report. Returns the exit code: 1 when one did not pass.
 * A suite that throws has not passed; the others still run.
 *
 * @throws Error for a name that no suite has, a data folder that no suite reads, and a file to compare with that is no report.
 */
export async function runNamed({ line, names, registry }: RunNamedOptions): Promise<number> {
  const unknown = names.filter((name) => registry[name] === undefined);
  if (unknown.length > 0)
    throw new Error(`There is no ${unknown.join(", ")}; there are: ${Object.keys(registry).join(", ")}`);
  if (line.data !== undefined) checkData(line.data);
  const before = line.compare === undefined ? undefined : readReport(line.compare);
  const runs: KeptRun[] = [];
  for (const name of names) {
    try {
      const suite = await registry[name]!();
      const run = { ...(await runSuite(name, suite, line)), environment: environment() };
      keepRun(run);
      printerOf(line)(describe(run));
      runs.push(run);
    } catch (error) {
      console.error(`${name} ended with an error:`, error);
    }
  }
  if (before !== undefined) printerOf(line)(`\n${markdownSection(compareRuns(before, runs))}`);
  const path = writeReport(Object.keys(registry));
  printerOf(line)(`\nThe report: ${path}`);
  const passed = runs.length === names.length && runs.every(({ result }) => result.passed);
  if (line.json) console.log(JSON.stringify(summary(runs, names, passed)));
  return passed ? 0 : 1;
}

function printerOf({ json }: CommandLine): (text: string) => void {
  return json ? console.error : console.log;
}

function describe({ result, seconds, cpuSeconds }: KeptRun): string {
  const state = result.passed ? "holds" : "DOES NOT HOLD";
  const head = `\n## ${result.suite}: ${state} (${result.cases} cases, ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU)\n\n${result.question}\n`;
  const untold = (result.tooSmall ?? []).map((line) => `Too small to tell: ${line}\n`);
  return [head, ...untold, ...result.tables.map((table) => `${markdownSection(table)}\n`)].join("\n");
}

function summary(runs: readonly KeptRun[], names: readonly string[], passed: boolean): unknown {
  const [first] = runs;
  if (names.length === 1 && first !== undefined) return json(first);
  return { suite: "all", passed, suites: runs.map(json) };
}

function json({ result, ...rest }: KeptRun): SuiteResult & Omit<KeptRun, "result"> {
  return { ...result, ...rest };
}
