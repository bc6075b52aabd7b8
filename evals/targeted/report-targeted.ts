import type { Comparison, SuiteResult } from "../suite.js";
import type { TargetedRow } from "./row.js";
import { tableOf } from "../report/table-of.js";

export interface ReportOptions {
  readonly player: string;
  /** US dollars for a million tokens; zero when not stated. */
  readonly prices: { readonly input: number; readonly output: number };
}

const oursName = "Palimpsest";

/** Returns the result of the rows. It passes when Palimpsest passed every task that was played. Pure. */
export function reportTargeted(rows: readonly TargetedRow[], { player, prices }: ReportOptions): SuiteResult {
  const played = rows.filter(({ passed }) => passed !== undefined);
  const ours = played.filter(({ system }) => system === oursName);
  const cost = rows.reduce(
    (sum, { inputTokens, outputTokens }) =>
      sum + (inputTokens * prices.input + outputTokens * prices.output) / 1e6,
    0,
  );
  const tokens = (field: "inputTokens" | "outputTokens") =>
    rows.reduce((sum, row) => sum + row[field], 0).toLocaleString("en");
  const priced = cost > 0 ? `, ${cost.toFixed(2)} US dollars` : "";
  const scripted =
    "The agent is scripted: it uses only its prompt and its tools, and a summary is the newest lines of its input. This shows what a model could do, not that it would.";
  return {
    suite: "targeted",
    question:
      "When a compaction comes in the middle of the work: is the goal kept, and is what was folded found again?",
    cases: played.length,
    passed: ours.length > 0 && ours.every(({ passed }) => passed === true),
    tables: [
      tableOf(rows, {
        title: `Tasks, played by ${player === "scripted" ? "a scripted agent" : player}`,
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
        note: `${player === "scripted" ? scripted : "Judged by a check, and by a model where one is named."} In all ${tokens("inputTokens")} tokens in, ${tokens("outputTokens")} out${priced}. deepagents keeps its history in a directory here; over its default storage it is lost (see failures).`,
      }),
    ],
    charts: [],
    comparisons: comparisons(played, player),
    numbers: { player, prices, cost, rows },
  };
}

function comparisons(played: readonly TargetedRow[], player: string): readonly Comparison[] {
  const names = [...new Set(played.map(({ system }) => system))].filter((name) => name !== oursName);
  const shared = (system: string) => {
    const own = new Set(played.filter((row) => row.system === system).map(({ task }) => task));
    return played.filter(({ task }) => own.has(task));
  };
  return names.flatMap((name) => {
    const rows = shared(name);
    const tokens = (system: string) =>
      rows.filter((row) => row.system === system).reduce((sum, { inputTokens }) => sum + inputTokens, 0);
    const share = (system: string) => {
      const own = rows.filter((row) => row.system === system);
      return own.filter(({ passed }) => passed === true).length / own.length;
    };
    const place = `targeted tasks, ${player === "scripted" ? "scripted agent" : player}`;
    return [
      {
        measure: `solved ${place}`,
        unit: "share",
        better: "higher",
        ours: share(oursName),
        rivals: [{ name, value: share(name) }],
        margin: 0.02,
      },
      {
        measure: `tokens sent, ${place}`,
        unit: "tokens",
        better: "lower",
        ours: tokens(oursName),
        rivals: [{ name, value: tokens(name) }],
        margin: 0.05 * tokens(oursName),
      },
    ];
  });
}
