import { formatValue } from "./format-value.js";
import { markdownTable } from "./markdown.js";
import type { Verdict } from "./verdict.js";
import { tableOf } from "./table-of.js";

/** Returns verdicts in Markdown, a row each. Pure. */
export function verdictTable(verdicts: readonly Verdict[]): string {
  return markdownTable(
    tableOf(verdicts, {
      title: "In one minute",
      columns: [
        ["measure", ({ measure }) => measure],
        ["Palimpsest", ({ unit, ours }) => formatValue(ours, unit)],
        ["best of the others", ({ unit, best }) => formatValue(best.value, unit)],
        ["which is", ({ best }) => best.name],
        ["verdict", ({ standing }) => standing],
      ],
    }),
  );
}
