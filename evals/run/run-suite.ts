import { existsSync, readdirSync } from "node:fs";
import { dialogueSets, sessionFolders } from "../data/read-trajectories.js";
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
 * @throws Error when the data folder is missing or holds nothing that a suite reads, or a comparison has no rival or no number.
 */
export async function runSuite(name: string, suite: Suite, line: CommandLine): Promise<SuiteRun> {
  const { data, quick, args } = line;
  if (data !== undefined) checkData(data);
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

/** Folders that suites read besides those of sessions. */
const folders = [...dialogueSets, "locomo", "beam", "summarization-fixtures"];

function checkData(data: string): void {
  if (!existsSync(data)) throw new Error(`--data is ${data}: there is no such folder`);
  if (sessionFolders(data).length > 0 || readdirSync(data).some((name) => folders.includes(name))) return;
  throw new Error(
    `--data is ${data}, which holds no recorded runs: it needs a folder whose name ends in -sessions, or one of ` +
      `${folders.join(", ")} (see evals/README.md)`,
  );
}
