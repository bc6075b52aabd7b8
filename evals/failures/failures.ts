import { flag, readOptions, text } from "../run/read-options.js";
import type { Suite, SuiteResult } from "../suite.js";
import { describeFacts, describePalimpsest } from "./describe-facts.js";
import { isSound } from "./facts.js";
import { writeLaws } from "./laws/write-laws.js";
import { measureScenarios, type ScenarioRow } from "./measure-scenarios.js";
import { scenarios } from "./scenarios/index.js";
import { tableOf } from "../report/table-of.js";

/** Runs the situations in which other systems were seen to fail, on them and on Palimpsest: `[--only TEXT] [--laws]`. */
export const failures: Suite = async ({ quick = false, args, progress }): Promise<SuiteResult> => {
  const { only, laws } = readOptions(args, { only: text(""), laws: flag });
  const chosen = scenarios
    .filter(({ title }) => title.toLowerCase().includes(only.toLowerCase()))
    .slice(0, quick ? 3 : undefined);
  if (chosen.length === 0) throw new Error(`No scenario has "${only}" in its title`);
  if (laws && chosen.length < scenarios.length)
    throw new Error("--laws needs every scenario: leave out --only and --quick");
  let done = 0;
  const rows = await measureScenarios(chosen, ({ title }) => progress(`${++done}/${chosen.length} ${title}`));
  if (laws) progress(`written: ${writeLaws(rows)}`);
  return summarize(rows);
};

function summarize(rows: readonly ScenarioRow[]): SuiteResult {
  const sound = rows.filter((row) => row.sound).length;
  const peers = rows.filter((row) => isSound(row.peerFacts)).length;
  return {
    suite: "failures",
    question: "What happens to an agent in situations in which other systems failed?",
    cases: rows.length,
    passed: rows.length > 0 && sound === rows.length,
    tables: [
      tableOf(rows, {
        title: `Palimpsest kept everything in ${sound} of ${rows.length} situations`,
        columns: [
          ["situation", (row) => row.title],
          ["system", (row) => row.peer],
          ["what it did", (row) => describeFacts(row.peerFacts)],
          ["what Palimpsest did", (row) => `${row.sound ? "" : "FAILED: "}${describePalimpsest(row)}`],
        ],
        note: `The situations were chosen because another system failed in them, so this compares only those: the other systems kept everything in ${peers}.`,
      }),
    ],
    charts: [],
    comparisons: [
      {
        measure: "scenarios without loss (each chosen because another system failed in it)",
        unit: "share",
        better: "higher",
        ours: sound / rows.length,
        rivals: [{ name: "the system that each was seen in", value: peers / rows.length }],
        margin: 0.02,
      },
    ],
    numbers: { rows },
  };
}
