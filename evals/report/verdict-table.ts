import { formatValue } from "./format-value.js";
import { markdownTable } from "./markdown.js";
import type { Verdict } from "./verdict.js";

/** Returns verdicts in Markdown, a row each. Pure. */
export function verdictTable(verdicts: readonly Verdict[]): string {
  return markdownTable({
    title: "In one minute",
    columns: ["measure", "Palimpsest", "best of the others", "which is", "verdict"],
    rows: verdicts.map(({ measure, unit, ours, best, standing }) => [
      measure,
      formatValue(ours, unit),
      formatValue(best.value, unit),
      best.name,
      standing,
    ]),
  });
}
