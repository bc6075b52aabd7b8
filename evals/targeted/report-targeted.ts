import { groupsOf } from "../metrics/groups-of.js";
import { mean } from "../metrics/quantile.js";
import { sumOf } from "../metrics/sum-of.js";
import { tableOf } from "../report/table-of.js";
import type { Comparison, SuiteResult } from "../suite.js";
import { scripted, type TargetedRow } from "./row.js";

export interface ReportOptions {
  readonly player: string;
  /** US dollars for a million tokens; zero when not stated. */
  readonly prices: { readonly input: number; readonly output: number };
}

const oursName = "Palimpsest";
const asScripted =
  "The agent is scripted: it uses only its prompt and its tools, and a summary is the newest lines of its input. This shows what a model could do, not that it would.";

/** Returns the result of the rows. It passes when Palimpsest passed every task that was played. Pure. */
export function reportTargeted(rows: readonly TargetedRow[], { player, prices }: ReportOptions): SuiteResult {
  const played = rows.filter(({ passed }) => passed !== undefined);
  const ours = played.filter(({ system }) => system === oursName);
  const [input, output] = [tokensOf(rows), sumOf(rows, ({ outputTokens }) => outputTokens)];
  const cost = (input * prices.input + output * prices.output) / 1e6;
  const priced = cost > 0 ? `, ${cost.toFixed(2)} US dollars` : "";
  return {
    suite: "targeted",
    question:
      "When a compaction comes in the middle of the work: is the goal kept, and is what was folded found again?",
    cases: played.length,
    passed: ours.length > 0 && ours.every(({ passed }) => passed === true),
    tables: [
      tableOf(rows, {
        title: `Tasks, played by ${player === scripted ? "a scripted agent" : player}`,
        columns: [
          ["task", (row) => row.task],
          ["system", (row) => row.system],
          ["held", (row) => (row.passed === undefined ? "–" : row.passed ? "yes" : "no")],
          [
            "what happened",
            (row) => (row.judged === undefined ? row.detail : `${row.detail}; judge: ${row.judged.why}`),
          ],
          ["largest prompt", (row) => row.peakTokens],
          ["input tokens", (row) => row.inputTokens],
          ["output tokens", (row) => row.outputTokens],
        ],
        note: `${player === scripted ? asScripted : "Judged by a check, and by a model where one is named."} In all ${input.toLocaleString("en")} tokens in, ${output.toLocaleString("en")} out${priced}. deepagents keeps its history in a directory here; over its default storage it is lost (see failures).`,
      }),
    ],
    charts: [],
    comparisons: comparisons(played, player),
    numbers: { player, prices, cost, rows },
  };
}

/** Compares the tasks that both played. */
function comparisons(played: readonly TargetedRow[], player: string): readonly Comparison[] {
  const place = `targeted tasks, ${player === scripted ? "scripted agent" : player}`;
  const rivals = groupsOf(played, ({ system }) => system).filter(([name]) => name !== oursName);
  return rivals.flatMap(([name, theirs]): readonly Comparison[] => {
    const shared = new Set(theirs.map(({ task }) => task));
    const ours = played.filter(({ task, system }) => system === oursName && shared.has(task));
    return [
      {
        measure: `solved ${place}`,
        unit: "share",
        better: "higher",
        ours: solved(ours),
        rivals: [{ name, value: solved(theirs) }],
        margin: 0.02,
      },
      {
        measure: `tokens sent, ${place}`,
        unit: "tokens",
        better: "lower",
        ours: tokensOf(ours),
        rivals: [{ name, value: tokensOf(theirs) }],
        margin: 0.05 * tokensOf(ours),
      },
    ];
  });
}

function solved(rows: readonly TargetedRow[]): number {
  return mean(rows.map(({ passed }) => Number(passed)));
}

function tokensOf(rows: readonly TargetedRow[]): number {
  return sumOf(rows, ({ inputTokens }) => inputTokens);
}
