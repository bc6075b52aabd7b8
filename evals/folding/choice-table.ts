import type { Table } from "../suite.js";
import type { FoldedRun } from "./measure-runs.js";
import { mean } from "../metrics/quantile.js";
import { grouped } from "./tables.js";

/** Returns how large the context of a web agent is at the end of a run with `foldNode`. */
export function browsingChoices(runs: readonly FoldedRun[]): Table {
  return {
    title: "Browsing",
    columns: ["steps, a model that", "full history", "foldNode, at the end", "largest"],
    rows: grouped(runs, ({ steps, name }) => `${steps.toLocaleString("en")}, ${name}`).map(
      ([name, group]) => {
        const ends = group.flatMap(({ points }) => points.at(-1) ?? []);
        return [
          name,
          Math.round(mean(ends.map(({ fullTokens }) => fullTokens))),
          Math.round(mean(ends.map(({ tokens }) => tokens))),
          Math.max(...group.flatMap(({ points }) => points.map(({ tokens }) => tokens))),
        ];
      },
    ),
    note: "Estimated tokens of the messages in generated runs of a web agent. Every step comes back byte for byte from the archive.",
  };
}
