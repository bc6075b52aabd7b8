import { environment } from "../report/environment.js";
import { keepRun, type KeptRun } from "../report/kept-runs.js";
import { markdownSection } from "../report/markdown.js";
import { writeReport } from "../report/write-report.js";
import type { Suite, SuiteResult } from "../suite.js";
import type { CommandLine } from "./command-line.js";
import { runSuite } from "./run-suite.js";

export interface RunNamedOptions {
  readonly line: CommandLine;
  /** Suites to run, in order. */
  readonly names: readonly string[];
  readonly registry: Readonly<Record<string, () => Promise<Suite>>>;
}

/**
 * Runs suites one after the other, prints and keeps what each measured, and writes the report.
 * Returns the exit code: 1 when one did not pass. A suite that throws has not passed; the others still run.
 *
 * @throws Error for a name that no suite has.
 */
export async function runNamed({ line, names, registry }: RunNamedOptions): Promise<number> {
  const unknown = names.filter((name) => registry[name] === undefined);
  if (unknown.length > 0)
    throw new Error(`There is no ${unknown.join(", ")}; there are: ${Object.keys(registry).join(", ")}`);
  const print = line.json ? console.error : console.log;
  const runs: KeptRun[] = [];
  for (const name of names) {
    const run = await survive(name, () => runOne(name, { line, registry }));
    if (run === undefined) continue;
    runs.push(run);
    keepRun(run);
    print(describe(run));
  }
  const path = writeReport(Object.keys(registry));
  print(`\nThe report: ${path}`);
  const passed = runs.length === names.length && runs.every(({ result }) => result.passed);
  if (line.json) console.log(JSON.stringify(summary(runs, names, passed)));
  return passed ? 0 : 1;
}

async function runOne(name: string, { line, registry }: Omit<RunNamedOptions, "names">): Promise<KeptRun> {
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

function describe({ result, seconds }: KeptRun): string {
  const state = result.passed ? "holds" : "DOES NOT HOLD";
  const head = `\n## ${result.suite}: ${state} (${result.cases} cases, ${seconds.toFixed(1)} s)\n\n${result.question}\n`;
  return [head, ...result.tables.map((table) => `${markdownSection(table)}\n`)].join("\n");
}

function summary(runs: readonly KeptRun[], names: readonly string[], passed: boolean): unknown {
  const [first] = runs;
  if (names.length === 1 && first !== undefined) return json(first);
  return { suite: "all", passed, suites: runs.map(json) };
}

function json({ result, ...rest }: KeptRun): SuiteResult & Omit<KeptRun, "result"> {
  return { ...result, ...rest };
}
