import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root.js";
import type { SuiteRun } from "../run/run-suite.js";
import type { Environment } from "./environment.js";

/** A run of a suite, and where it was measured. */
export interface KeptRun extends SuiteRun {
  readonly environment: Environment;
}

/** Folder of the report. It is not part of the repository. */
export const reportFolder = join(root, "evals/report/out");

/** Keeps a run for the report, in place of an earlier one of the same suite. */
export function keepRun(run: KeptRun, folder = reportFolder): void {
  mkdirSync(join(folder, "runs"), { recursive: true });
  writeFileSync(join(folder, "runs", `${run.result.suite}.json`), `${JSON.stringify(run, undefined, 1)}\n`);
}

/** Returns the runs that were kept, by suite, in the order of `names`; suites not named come last. */
export function keptRuns(names: readonly string[], folder = reportFolder): readonly KeptRun[] {
  mkdirSync(join(folder, "runs"), { recursive: true });
  const files = readdirSync(join(folder, "runs")).filter((name) => name.endsWith(".json"));
  const runs = files.map((name) => JSON.parse(readFileSync(join(folder, "runs", name), "utf8")) as KeptRun);
  const place = ({ result }: KeptRun) =>
    names.includes(result.suite) ? names.indexOf(result.suite) : Infinity;
  return runs.toSorted((a, b) => place(a) - place(b) || (a.result.suite < b.result.suite ? -1 : 1));
}
