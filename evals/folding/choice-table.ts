import type { Table } from "../suite.js";
import type { FoldedRun } from "./measure-runs.js";
import { mean } from "../metrics/quantile.js";
import { grouped, largestOf } from "./tables.js";
import { tableOf } from "../report/table-of.js";

/** Returns how large the context of a web agent is at the end of a run with `foldNode`. */
export function browsingChoices(runs: readonly FoldedRun[]): Table {
  const groups = grouped(runs, ({ steps, name }) => `${steps.toLocaleString("en")}, ${name}`);

  return tableOf(groups, {
    title: "Browsing",
    columns: [
      ["steps, a model that", ([name]) => name],
      ["full history", ([, group]) => atEnd(group, "fullTokens")],
      ["foldNode, at the end", ([, group]) => atEnd(group, "tokens")],
      ["largest", ([, group]) => largestOf(group)],
    ],
    note: "Estimated tokens of the messages in generated runs of a web agent. Every step comes back byte for byte from the archive.",
  });
}

function atEnd(group: readonly FoldedRun[], tokens: "tokens" | "fullTokens"): number {
  return Math.round(mean(group.flatMap(({ points }) => points.at(-1)?.[tokens] ?? [])));
}
