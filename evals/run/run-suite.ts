import { existsSync } from "node:fs";
import { progressOf } from "./progress.js";
import type { Suite, SuiteResult } from "../suite.js";
import type { CommandLine } from "./command-line.js";

/** A result with what it took. */
export interface SuiteRun {
  readonly result: SuiteResult;
  readonly seconds: number;
  readonly data: boolean;
  readonly quick: boolean;
}

/**
 * Returns what a suite measured. One that played no case has not passed, whatever it says.
 *
 * @throws Error when the data folder is not there.
 */
export async function runSuite(name: string, suite: Suite, line: CommandLine): Promise<SuiteRun> {
  const { data, quick, args } = line;
  if (data !== undefined && !existsSync(data)) throw new Error(`--data is ${data}: there is no such folder`);
  const progress = progressOf(name);
  const start = performance.now();
  try {
    const result = await suite({ quick, args, progress, ...(data === undefined ? {} : { data }) });
    const seconds = (performance.now() - start) / 1000;
    return {
      result: { ...result, passed: result.passed && result.cases > 0 },
      seconds,
      data: data !== undefined,
      quick,
    };
  } finally {
    progress.end();
  }
}
