import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { keptRuns, reportFolder, type KeptRun } from "./kept-runs.js";
import { markdownSection } from "./markdown.js";
import { page } from "./page.js";
import { verdictTable } from "./verdict-table.js";
import { verdictOf } from "./verdict.js";

/** Writes the report of all runs that were kept, and returns the path of its page. */
export function writeReport(names: readonly string[], folder = reportFolder): string {
  const runs = keptRuns(names, folder);
  const path = join(folder, "index.html");
  writeFileSync(path, page(runs));
  writeFileSync(join(folder, "tables.md"), tables(runs));
  writeFileSync(join(folder, "report.json"), `${JSON.stringify({ runs }, undefined, 1)}\n`);
  return path;
}

function tables(runs: readonly KeptRun[]): string {
  const sections = runs.map(({ result }) =>
    [`## ${result.suite}`, result.question, ...result.tables.map((table) => markdownSection(table))].join(
      "\n\n",
    ),
  );
  const verdicts = runs.flatMap(({ result }) => (result.comparisons ?? []).map(verdictOf));
  return `${["# Palimpsest, measured", verdictTable(verdicts), ...sections].join("\n\n")}\n`;
}
