import type { ContextOptions } from "@palimpsest/langgraph";
import type { BaseMessage } from "@langchain/core/messages";
import { MemoryBackend } from "@palimpsest/vfs";
import { runSets } from "../data/run-sets.js";
import { stepsOf } from "../data/steps.js";
import type { Trajectory } from "../data/trajectory.js";
import { deepAgentsRun } from "../policies/deep-agents.js";
import { ladderRun, palimpsestLadder } from "../policies/palimpsest-ladder.js";
import { palimpsestTight, tightOptions } from "../policies/palimpsest-planned.js";
import type { PolicyRun } from "../policies/policy.js";
import type { Comparison, Suite, Table } from "../suite.js";
import { grepSearcher, type GrepTools } from "./grep-searcher.js";
import { clozeShares, measureCloze, type ClozeShares, type Look } from "./measure-cloze.js";
import { needlesOf } from "./needles.js";
import { ourTools } from "./our-tools.js";
import { theirTools } from "./their-tools.js";
import { tableOf } from "../report/table-of.js";
import { decimals } from "../report/format-value.js";
import { sumOf } from "../metrics/sum-of.js";

/** A system in a window: its context, and the agent's own `grep` and `read_file` over what it folded away. */
interface System {
  readonly name: string;
  readonly start: (window: number) => { readonly run: PolicyRun; readonly tools: GrepTools };
}

function ours(name: string, options: Partial<ContextOptions> = {}): System {
  return {
    name,
    start(window) {
      const run = ladderRun(window, options);
      return { run, tools: ourTools(run) };
    },
  };
}

const systems: readonly System[] = [
  ours(palimpsestLadder.name),
  ours(palimpsestTight.name, tightOptions),
  {
    name: "deepagents",
    start(window) {
      const run = deepAgentsRun(window, new MemoryBackend());
      return { run, tools: theirTools(run.backend) };
    },
  },
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
  const rows: Row[] = [];
  for (const { name, trajectories } of await runSets({ data, quick })) {
    for (const window of quick ? [16_000] : [32_000, 16_000]) {
      for (const system of systems) {
        progress(`${rows.length} ${name}, ${system.name} at ${window}`);
        const looks: Look[] = [];
        for (const trajectory of trajectories) looks.push(...(await looksOf(trajectory, system, window)));
        rows.push({ set: name, system: system.name, window, ...clozeShares(looks) });
      }
    }
  }
  const all = rows.filter(({ system }) => system.startsWith("Palimpsest"));
  const [own, few] = [
    all.filter(({ folded }) => folded >= fewest),
    all.filter(({ folded }) => folded < fewest),
  ];
  return {
    suite: "cloze",
    question: "Can the agent find again, with its own tools, what left its context?",
    cases: sumOf(own, ({ needles }) => needles),
    passed: own.every(({ recovered, equal }) => recovered >= asked && equal >= asked),
    tables: [table(rows)],
    charts: [],
    comparisons: own
      .filter(({ system }) => system === palimpsestLadder.name)
      .flatMap((row) => comparisons(row, rows)),
    tooSmall: few.map(
      (row) => `${row.set}, ${row.system} at ${row.window}: ${row.folded} needles left the context.`,
    ),
    numbers: { asked, rows },
  };
};

/** Plays a run to its end, and searches for its needles. */
async function looksOf(trajectory: Trajectory, { start }: System, window: number): Promise<readonly Look[]> {
  const { run, tools } = start(window);
  let context: readonly BaseMessage[] = [];
  for (const { added, chunk } of stepsOf(trajectory))
    context = await run.context(added, { chunk, needed: [] });
  return measureCloze(needlesOf(trajectory), context, grepSearcher(tools));
}

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
      ["recovered @3", (row) => decimals(row.recovered)],
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
      ours: own.recovered,
      rivals: rivals.map(({ system, recovered }) => ({ name: system, value: recovered })),
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
