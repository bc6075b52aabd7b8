import { estimateTokens } from "@palimpsest/context";
import type { Table } from "../suite.js";
import type { MeteredPrompt, PromptSet } from "./metered-prompt.js";
import { meterRow, rivalsOf, type MeterRow } from "./report-counter.js";
import { percent } from "../report/format-value.js";

/** Ratios that are tried. */
const ratios = Array.from({ length: 151 }, (_, at) => 0.5 + at / 100);

/** Returns what one ratio of each run reaches if it is known in hindsight, beside our meter and the best rival. */
export function hindsightTable(sets: readonly PromptSet[], rows: readonly MeterRow[]): Table {
  const situation = "as it grows";
  return {
    title: "What one ratio of a run reaches in hindsight, as the prompt grows",
    columns: [
      "set",
      "95 % of errors below, in hindsight",
      "our meter",
      "best rival",
      "half of the best rival",
    ],
    rows: sets.flatMap(({ name: set, runs }) => {
      const own = rows.find((row) => row.set === set && row.situation === situation && row.isOurs);
      if (own === undefined) return [];
      const shares = runs.flatMap((run) =>
        inHindsight(run.filter((prompt) => prompt.situation === situation)),
      );
      const known = meterRow({ ...own, meter: "one ratio in hindsight" }, shares);
      const best = Math.min(...rivalsOf(own, rows).map(({ p95 }) => p95));
      return [[set, percent(known.p95), percent(own.p95), percent(best), percent(best / 2)]];
    }),
    note:
      "The last usage and one ratio of what came since. The ratio is the best one of each run, known before the run: a meter that " +
      "learns one ratio is not below it. Where half of the best rival is below it, one ratio is not enough.",
  };
}

/**
 * Returns estimate / real for each prompt of a run by the last usage and one ratio of what came since: the ratio with the least
 * 95th percentile of errors, known in hindsight. No meter that learns one ratio from usage can be below it in every run.
 */
function inHindsight(prompts: readonly MeteredPrompt[]): readonly number[] {
  const steps = prompts.map(({ messages, inputTokens, before }) => ({
    inputTokens,
    last: before.inputTokens,
    added: estimateTokens(messages) - estimateTokens(before.messages),
  }));
  const runs = ratios.map((ratio) =>
    steps.map(({ inputTokens, last, added }) => (last + ratio * added) / inputTokens),
  );
  const worst = runs.map((run) => {
    const errors = run.map((share) => Math.abs(share - 1)).toSorted((one, other) => one - other);
    return errors[Math.min(errors.length - 1, Math.floor(0.95 * errors.length))] ?? 0;
  });
  return runs[worst.indexOf(Math.min(...worst))] ?? [];
}
