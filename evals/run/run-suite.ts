import { progressOf } from "./progress.js";
import { verdictOf } from "../report/verdict.js";
import type { Suite, SuiteResult } from "../suite.js";
import type { CommandLine } from "./command-line.js";

/** A result and how it was run. */
export interface SuiteRun {
  readonly result: SuiteResult;
  readonly seconds: number;
  /** CPU time, which other programs on the machine hardly change. */
  readonly cpuSeconds: number;
  readonly data: boolean;
  readonly quick: boolean;
}

/**
 * Returns what a suite measured. A suite that played no case has not passed.
 *
 * @throws Error when a comparison has no rival or no number.
 */
export async function runSuite(name: string, suite: Suite, line: CommandLine): Promise<SuiteRun> {
  const { data, quick, args } = line;
  const progress = progressOf(name);
  const start = performance.now();
  const startCpu = process.cpuUsage();
  try {
    const result = await suite({ quick, args, progress, ...(data === undefined ? {} : { data }) });
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(startCpu);
    // Before the run is kept: the report of all kept runs could not be written.
    result.comparisons?.forEach(verdictOf);
    return {
      result: { ...result, passed: result.passed && result.cases > 0 },
      seconds,
      cpuSeconds: (user + system) / 1e6,
      data: data !== undefined,
      quick,
    };
  } finally {
    progress.end();
  }
}
