import { tableOf } from "../report/table-of.js";
import { flag, readOptions, text } from "../run/read-options.js";
import type { Suite, SuiteResult, Table } from "../suite.js";
import { describeFacts, isSound } from "./facts.js";
import { writeFailures } from "./laws-page.js";
import { measureScenario, type ScenarioRow } from "./measure-scenario.js";
import { scenarios } from "./scenarios/index.js";

/** Runs the situations in which other systems were seen to fail, on them and on Palimpsest: `[--only TEXT] [--laws]`. */
export const failures: Suite = async ({ quick = false, args, progress }): Promise<SuiteResult> => {
  const { only, laws } = readOptions(args, { only: text(""), laws: flag });
  const chosen = scenarios
    .filter(({ title }) => title.toLowerCase().includes(only.toLowerCase()))
    .slice(0, quick ? 3 : undefined);
  if (chosen.length === 0) throw new Error(`No scenario has "${only}" in its title`);
  if (laws && chosen.length < scenarios.length)
    throw new Error("--laws needs every scenario: leave out --only and --quick");
  const rows: ScenarioRow[] = [];
  for (const scenario of chosen) {
    rows.push(await measureScenario(scenario));
    progress(`${rows.length}/${chosen.length} ${scenario.title}`);
  }
  const table = tableOfRows(rows);
  if (laws) progress(`written: ${writeFailures(table)}`);
  return summarize(rows, table);
};

function tableOfRows(rows: readonly ScenarioRow[]): Table {
  return tableOf(rows, {
    title: `Palimpsest kept everything in ${soundOf(rows)} of ${rows.length} situations`,
    columns: [
      ["situation", (row) => row.title],
      ["system", (row) => row.peer],
      ["what it did", (row) => describeFacts(row.peerFacts)],
      ["what Palimpsest did", (row) => `${row.sound ? "" : "FAILED: "}${describeOurs(row)}`],
    ],
    note: `The situations were chosen because another system failed in them, so this compares only those: the other systems kept everything in ${soundOfPeers(rows)}.`,
  });
}

/** Returns the outcome of Palimpsest in words, in one sentence where nodes and middleware agree. */
function describeOurs({ nodes, middleware }: ScenarioRow): string {
  const [one, other] = [describeFacts(nodes), describeFacts(middleware)];
  return one === other ? one : `nodes: ${one}; middleware: ${other}`;
}

function soundOf(rows: readonly ScenarioRow[]): number {
  return rows.filter(({ sound }) => sound).length;
}

function soundOfPeers(rows: readonly ScenarioRow[]): number {
  return rows.filter(({ peerFacts }) => isSound(peerFacts)).length;
}

function summarize(rows: readonly ScenarioRow[], table: Table): SuiteResult {
  return {
    suite: "failures",
    question: "What happens to an agent in situations in which other systems failed?",
    cases: rows.length,
    passed: rows.length > 0 && soundOf(rows) === rows.length,
    tables: [table],
    charts: [],
    comparisons: [
      {
        measure: "scenarios without loss (each chosen because another system failed in it)",
        unit: "share",
        better: "higher",
        ours: soundOf(rows) / rows.length,
        rivals: [{ name: "the system that each was seen in", value: soundOfPeers(rows) / rows.length }],
        margin: 0.02,
      },
    ],
    numbers: { rows },
  };
}
