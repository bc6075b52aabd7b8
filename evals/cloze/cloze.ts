import { runSets } from "../data/run-sets.js";
import { palimpsestLadder } from "../policies/palimpsest-ladder.js";
import { palimpsestTight } from "../policies/palimpsest-planned.js";
import type { Comparison, Suite, Table } from "../suite.js";
import { clozeShares, measureCloze, type ClozeShares, type Look, type PlayToEnd } from "./measure-cloze.js";
import { needlesOf } from "./needles.js";
import { playDeepAgents, playLadder, playTight } from "./players.js";
import { tableOf } from "../report/table-of.js";
import { decimals } from "../report/format-value.js";

const systems: readonly { readonly name: string; readonly play: PlayToEnd }[] = [
  { name: palimpsestLadder.name, play: playLadder },
  { name: palimpsestTight.name, play: playTight },
  { name: "deepagents", play: playDeepAgents },
];
/** Share of the needles that the first three windows must contain. */
const asked = 0.95;
/** Folded needles below which a set is too small to tell. */
const fewest = 20;

interface Row extends ClozeShares {
  readonly set: string;
  readonly system: string;
  readonly window: number;
}

/** Hides strings that occur in one old tool result each, and searches for them with the agent's own tools. */
export const cloze: Suite = async ({ data, quick = false, progress }) => {
  const sets = await runSets({ data, quick });
  const rows: Row[] = [];
  for (const { name, trajectories } of sets) {
    for (const window of quick ? [16_000] : [32_000, 16_000]) {
      for (const system of systems) {
        progress(`${rows.length} ${name}, ${system.name} at ${window}`);
        const runs: (readonly Look[])[] = [];
        for (const trajectory of trajectories) {
          const { context, searcher } = await system.play(trajectory, window);
          runs.push(await measureCloze(needlesOf(trajectory), context, searcher));
        }
        rows.push({ set: name, system: system.name, window, ...clozeShares(runs) });
      }
    }
  }
  const all = rows.filter(({ system }) => system.startsWith("Palimpsest"));
  const ours = all.filter(({ folded }) => folded >= fewest);
  return {
    suite: "cloze",
    question: "Can the agent find again, with its own tools, what left its context?",
    cases: ours.reduce((sum, { needles }) => sum + needles, 0),
    passed: ours.every(({ recovered, equal }) => recovered[3] >= asked && equal >= asked),
    tables: [table(rows)],
    charts: [],
    comparisons: ours
      .filter(({ system }) => system === palimpsestLadder.name)
      .flatMap((own) => comparisons(own, rows)),
    tooSmall: all
      .filter(({ folded }) => folded < fewest)
      .map((row) => `${row.set}, ${row.system} at ${row.window}: ${row.folded} needles left the context.`),
    numbers: { asked, rows },
  };
};

function table(rows: readonly Row[]): Table {
  return tableOf(rows, {
    title: "Needles from old tool results, searched for at the end of the run",
    columns: [
      ["set", (row) => row.set],
      ["system", (row) => row.system],
      ["window", (row) => row.window],
      ["needles", (row) => row.needles],
      ["whole in context", (row) => decimals(row.inContext)],
      ["in a preview", (row) => decimals(row.inPreview)],
      ["in a summary", (row) => decimals(row.inSummary)],
      ["folded", (row) => row.folded],
      ["found @1", (row) => decimals(row.found[1])],
      ["found @3", (row) => decimals(row.found[3])],
      ["found @5", (row) => decimals(row.found[5])],
      ["read byte for byte", (row) => decimals(row.equal)],
      ["recovered @3", (row) => decimals(row.recovered[3])],
      ["tokens a search", (row) => Math.round(row.tokens)],
    ],
    note:
      "A needle occurs in exactly one tool result in the first 70 % of a run. The search knows the other words of its line: it greps " +
      "for lines with the three rarest, then with two of them, or for the rarest alone where grep knows no expressions, reads up to 80,000 characters of matches, and opens the 40 lines " +
      "around the most similar ones, those first that stand together. Every search was executed with the system's own grep and read_file tools. Found: of the needles that are not whole in the context. Recovered: of all needles, in the " +
      "context or found. A found window does not show that a model would have used it.",
  });
}

function comparisons(own: Row, rows: readonly Row[]): readonly Comparison[] {
  const rivals = rows.filter(
    ({ set, window, system }) => set === own.set && window === own.window && !system.startsWith("Palimpsest"),
  );
  const where = `window of ${own.window / 1_000}k, ${own.set}`;
  return [
    {
      measure: `old details found in the first 3 hits of the agent's tools, ${where}`,
      unit: "share",
      better: "higher",
      ours: own.recovered[3],
      rivals: rivals.map(({ system, recovered }) => ({ name: system, value: recovered[3] })),
      margin: 0.02,
    },
    {
      measure: `tokens that the tools answer in a search for an old detail, ${where}`,
      unit: "tokens",
      better: "lower",
      ours: own.tokens,
      rivals: rivals.map(({ system, tokens }) => ({ name: system, value: tokens })),
      margin: 0.05 * own.tokens,
    },
  ];
}
