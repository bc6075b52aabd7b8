// Runs eval suites and writes the report: npm run eval [-- SUITE...] [--data DIR] [--quick] [--json] [--readme]
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benches } from "./bench/benches.js";
import { keptRuns } from "./report/kept-runs.js";
import { choosingPage, evidencePage, replaceFigures } from "./report/figures-pages.js";
import { parseCommandLine } from "./run/command-line.js";
import { runNamed } from "./run/run-named.js";
import { root } from "./root.js";
import { suites } from "./suites.js";

/** Not a measurement: fits the weights of the selection and prints them. */
const commands: ReadonlySet<string> = new Set(["fit"]);
const registry = { ...suites, ...benches };

/** Returns the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const line = parseCommandLine(argv);
  if (line.help) {
    console.log("npm run eval [-- SUITE...] [--data DIR] [--compare FILE] [--quick] [--json] [--readme]");
    console.log(`Suites: ${Object.keys(suites).join(", ")}\nBenches: ${Object.keys(benches).join(", ")}`);
    return 0;
  }
  if (line.readme) {
    // A run of a suite that is no longer there has figures that nothing measures again.
    const runs = keptRuns(Object.keys(registry)).filter(({ result }) => result.suite in registry);
    for (const page of [evidencePage, choosingPage]) {
      const path = join(root, "docs", page.name);
      writeFileSync(path, replaceFigures(readFileSync(path, "utf8"), page, runs));
    }
    return 0;
  }
  const names =
    line.names.length === 0 ? Object.keys(suites).filter((name) => !commands.has(name)) : line.names;
  if (names.length > 1 && line.args.length > 0)
    throw new Error(`${line.args.join(" ")} is for one suite: name that suite before it`);
  if (line.data === undefined)
    console.error("No --data: generated runs only. See evals/README.md for recorded ones.");
  return runNamed({ line, names, registry });
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
}
