import { parseArgs } from "node:util";
import { describeFacts } from "./describe-facts.js";
import { describePalimpsest } from "./describe-palimpsest.js";
import { writeLaws } from "./laws/write-laws.js";
import { measureScenarios, type ScenarioRow } from "./measure-scenarios.js";
import { scenarios } from "./scenarios/index.js";

/**
 * Runs the situations in which other systems were seen to fail, on them and on Palimpsest:
 * `[--only TEXT] [--json] [--laws]`. Returns whether Palimpsest kept everything in all of them.
 */
export async function failures(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", default: "" },
      json: { type: "boolean", default: false },
      laws: { type: "boolean", default: false },
    },
  });
  const chosen = scenarios.filter(({ title }) => title.toLowerCase().includes(values.only.toLowerCase()));
  if (chosen.length === 0) throw new Error(`No scenario has "${values.only}" in its title`);
  if (values.laws && chosen.length < scenarios.length)
    throw new Error("--laws needs every scenario: leave out --only");
  const print = values.json ? console.error : console.log;
  const rows = await measureScenarios(chosen, (row) => printRow(row, print));
  const sound = rows.filter((row) => row.sound).length;
  print(`\nPalimpsest kept everything in ${sound} of ${rows.length} scenarios`);
  if (values.json) console.log(JSON.stringify({ suite: "failures", rows }));
  if (values.laws) print(`Written: ${writeLaws(rows)}`);
  return sound === rows.length;
}

function printRow(row: ScenarioRow, print: (line: string) => void): void {
  print(row.title);
  print(`  ${row.peer}: ${describeFacts(row.peerFacts)}`);
  print(`  Palimpsest${row.sound ? "" : " FAILED"}: ${describePalimpsest(row)}`);
}
