import { sumOf } from "../metrics/sum-of.js";
import { tableOf } from "../report/table-of.js";
import type { Table } from "../suite.js";
import { pointAt, type FoldedRun } from "./tables.js";

/** A requirement on folding, and whether it held. */
export interface HeldLaw {
  readonly law: string;
  readonly measured: string;
  readonly held: boolean;
}

/** Returns the requirements on folding and whether they held. A requirement without a case did not hold. */
export function heldLaws(runs: readonly FoldedRun[], recorded: readonly FoldedRun[]): readonly HeldLaw[] {
  return [...sizeLaws(runs), ...undoLaws([...runs, ...recorded], runs)];
}

function sizeLaws(runs: readonly FoldedRun[]): readonly HeldLaw[] {
  const hundred = runs.flatMap((run) => pointAt(run, 100) ?? []);
  const below = Math.min(...hundred.map((point) => 1 - point.tokens / point.fullTokens));
  const tokens = Math.max(...hundred.map((point) => point.tokens));
  const long = runs.filter(({ steps }) => steps >= 500);
  const late = long.flatMap(({ points }) => points.slice(500).map((point) => point.tokens));
  const largest = Math.max(0, ...late);
  const growth = Math.max(0, ...long.map((run) => mostBlocks(run) / Math.log2(run.steps)));
  const ofLong = (measured: string) => (long.length === 0 ? "not played" : measured);
  return [
    law("At least 92 % below full history at step 100", `${(100 * below).toFixed(1)} %`, below >= 0.92),
    law("At most 7,000 tokens at step 100", `${tokens}`, hundred.length > 0 && tokens <= 7_000),
    law("At most 20,000 tokens from step 500 on", ofLong(`${largest}`), largest <= 20_000),
    law("Blocks grow with log2(steps)", ofLong(`at most ${growth.toFixed(1)} log2(steps)`), growth <= 8),
  ];
}

function mostBlocks({ points }: FoldedRun): number {
  return Math.max(...points.map(({ blocks }) => blocks));
}

function undoLaws(all: readonly FoldedRun[], runs: readonly FoldedRun[]): readonly HeldLaw[] {
  const whole = all.filter(({ intact }) => intact).length;
  const over = Math.max(...all.map(({ unfolds, steps }) => unfolds - Math.max(2, Math.log2(steps))));
  const rewritten = Math.max(...runs.map(({ rewrites, steps }) => rewrites / Math.log2(steps)));
  const failed = sumOf(all, (run) => run.failed);
  const margin = `${Math.abs(over).toFixed(1)} ${over <= 0 ? "fewer" : "more"} at the worst`;
  return [
    law("Every step back byte for byte", `${whole} of ${all.length} runs`, whole === all.length),
    law("In at most log2(steps) unfolds, or 2", margin, over <= 0),
    law("A fact rewritten O(log steps) times", `at most ${rewritten.toFixed(1)} log2(steps)`, rewritten <= 4),
    law("No fold failed", `${failed} failures`, failed === 0),
  ];
}

function law(name: string, measured: string, held: boolean): HeldLaw {
  return { law: name, measured, held };
}

/** Returns the requirements. */
export function lawTable(laws: readonly HeldLaw[]): Table {
  return tableOf(laws, {
    title: "Requirements",
    columns: [
      ["law", ({ law }) => law],
      ["measured", ({ measured }) => measured],
      ["held", ({ held }) => (held ? "yes" : "no")],
    ],
  });
}
