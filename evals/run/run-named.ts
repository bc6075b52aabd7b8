import { compareRuns, readReport } from "../report/compare-runs.js";
import { environment } from "../report/environment.js";
import { keepRun, type KeptRun } from "../report/kept-runs.js";
import { markdownSection } from "../report/markdown.js";
import { writeReport } from "../report/write-report.js";
import type { Suite, SuiteResult } from "../suite.js";
import type { CommandLine } from "./command-line.js";
import { checkData } from "./check-data.js";
import { runApart } from "./run-apart.js";
import { runSuite } from "./run-suite.js";

export interface RunNamedOptions {
  readonly line: CommandLine;
  /** Suites to run, in order. */
  readonly names: readonly string[];
  readonly registry: Readonly<Record<string, () => Promise<Suite>>>;
  /** The program that plays one suite, `run-part.js`: with it several suites are played side by side. @default in turn, here */
  readonly part?: URL;
}

/**
 * Runs suites, prints and keeps what each measured, and writes the report. Returns the exit code: 1 when one did not pass.
 * A suite that throws has not passed; the others still run.
 *
 * @throws Error for a name that no suite has, a data folder that no suite reads, and a file to compare with that is no report.
 */
export async function runNamed({ line, names, registry, part }: RunNamedOptions): Promise<number> {
  const unknown = names.filter((name) => registry[name] === undefined);
  if (unknown.length > 0)
    throw new Error(`There is no ${unknown.join(", ")}; there are: ${Object.keys(registry).join(", ")}`);
  if (line.data !== undefined) checkData(line.data);
  const before = line.compare === undefined ? undefined : readReport(line.compare);
  const runs =
    part === undefined || names.length === 1
      ? await inTurn(names, { line, registry })
      : await runApart(part, names, line);
  if (before !== undefined) printerOf(line)(`\n${markdownSection(compareRuns(before, runs))}`);
  const path = writeReport(Object.keys(registry));
  printerOf(line)(`\nThe report: ${path}`);
  const passed = runs.length === names.length && runs.every(({ result }) => result.passed);
  if (line.json) console.log(JSON.stringify(summary(runs, names, passed)));
  return passed ? 0 : 1;
}

async function inTurn(
  names: readonly string[],
  options: Pick<RunNamedOptions, "line" | "registry">,
): Promise<readonly KeptRun[]> {
  const runs: KeptRun[] = [];
  for (const name of names) {
    const run = await runAndKeep(name, options);
    if (run !== undefined) runs.push(run);
  }
  return runs;
}

/** Runs one suite, keeps what it measured, and prints it. Undefined where it threw. */
export async function runAndKeep(
  name: string,
  { line, registry }: Pick<RunNamedOptions, "line" | "registry">,
): Promise<KeptRun | undefined> {
  const run = await survive(name, () => runOne(name, { line, registry }));
  if (run === undefined) return undefined;
  keepRun(run);
  printerOf(line)(describe(run));
  return run;
}

function printerOf({ json }: CommandLine): (text: string) => void {
  return json ? console.error : console.log;
}

async function runOne(
  name: string,
  { line, registry }: Pick<RunNamedOptions, "line" | "registry">,
): Promise<KeptRun> {
  const suite = await registry[name]?.();
  if (suite === undefined) throw new Error(`${name} did not load`);
  return { ...(await runSuite(name, suite, line)), environment: environment() };
}

async function survive(name: string, run: () => Promise<KeptRun>): Promise<KeptRun | undefined> {
  try {
    return await run();
  } catch (error) {
    console.error(`${name} ended with an error:`, error);
    return undefined;
  }
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
