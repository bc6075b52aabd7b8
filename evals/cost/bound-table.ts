import { fullHistory } from "../policies/full-history.js";
import { billedPrices, palimpsestTight } from "../policies/palimpsest-planned.js";
import type { Table } from "../suite.js";
import type { CostRow } from "./cost-row.js";

/** Returns our lowest bill, the lowest of the others, and a lower bound for any policy. */
export function boundTable(rows: readonly CostRow[]): Table {
  return {
    title: "How low a bill can be",
    columns: [
      "set",
      "window",
      "all is sent once",
      "planned, tight",
      "best of the others",
      "share of it",
      "with summaries and reading again",
      "best of the others",
      "share of it",
      "recall",
      "recall of that other",
    ],
    rows: rows.filter(({ policy }) => policy === palimpsestTight.name).map((own) => boundRow(own, rows)),
    note:
      "Bills of full history = 1. All is sent once: every token of the thread costs a cache write and is never read again, in no prompt; " +
      "below it is only who does not send everything. Others: what keeps a prompt inside the window, without our own. Recall: share of what a call needs that " +
      "stands in its context, of the planned policy and of the other with the lowest whole bill.",
  };
}

function boundRow(own: CostRow, rows: readonly CostRow[]): readonly (string | number)[] {
  const { set, window } = own;
  const beside = rows.filter((row) => row.set === set && row.window === window);
  const full = beside.find(({ policy }) => policy === fullHistory.name) ?? own;
  const others = beside.filter(
    ({ policy }) => !policy.startsWith("Palimpsest") && policy !== fullHistory.name,
  );
  const best = (of: (row: CostRow) => number) =>
    others.toSorted((one, other) => of(one) - of(other)).at(0) ?? full;
  const [prompts, whole] = [best(({ bill }) => bill), best((row) => row.whole)];
  return [
    set,
    window,
    rounded((billedPrices.cacheWrite * full.total * (1 - full.stable)) / full.bill),
    rounded(own.bill / full.bill),
    `${rounded(prompts.bill / full.bill)} ${prompts.policy}`,
    `${(100 * (own.bill / prompts.bill)).toFixed(0)} %`,
    rounded(own.whole / full.bill),
    `${rounded(whole.whole / full.bill)} ${whole.policy}`,
    `${(100 * (own.whole / whole.whole)).toFixed(0)} %`,
    rounded(own.recall),
    rounded(whole.recall),
  ];
}

function rounded(value: number): number {
  return Number(value.toFixed(3));
}
