import type { Table } from "../suite.js";
import type { MalformedResult } from "./malformed-directives.js";
import type { FoldedRun } from "./measure-runs.js";
import { pointAt } from "./point-at.js";
import { percent } from "../report/format-value.js";
import { mean } from "../metrics/quantile.js";

/** Returns the results of folding on generated runs: a row for each habit and length. */
export function generatedTable(runs: readonly FoldedRun[]): Table {
  const groups = grouped(runs, ({ name, steps }) => `${name}, ${steps} steps`);
  return {
    title: "Generated runs of a web agent, by how its model folds",
    columns: [
      "a model that",
      "runs",
      "full history",
      "context at the end",
      "below full",
      "largest context",
      "blocks",
      "unfolds",
      "log2(steps)",
      "rewrites",
      "refused",
      "ms a step",
    ],
    rows: groups.map(([name, group]) => {
      const ends = group.flatMap(({ points }) => points.at(-1) ?? []);
      const full = mean(ends.map(({ fullTokens }) => fullTokens));
      const tokens = mean(ends.map((end) => end.tokens));
      return [
        name,
        group.length,
        Math.round(full),
        Math.round(tokens),
        percent(1 - tokens / full),
        Math.max(...group.flatMap(({ points }) => points.map((point) => point.tokens))),
        Math.max(...ends.map(({ blocks }) => blocks)),
        Math.max(...group.map(({ unfolds }) => unfolds)),
        Math.log2(group[0]?.steps ?? 1).toFixed(1),
        Math.max(...group.map(({ rewrites }) => rewrites)),
        mean(group.map(({ refused }) => refused)).toFixed(0),
        mean(group.map(({ millisecondsAStep }) => millisecondsAStep)).toFixed(1),
      ];
    }),
    note: "Estimated tokens of the messages: goal, blocks and latest interaction. The paper's 3.5k to 7k include a system prompt and tools of about 3.5k, which are not counted here. The archive is in a directory, opened by a new filesystem after the run.",
  };
}

/** Returns the results of folding on recorded runs. Their models never fold: all summaries are automatic. */
export function recordedTable(runs: readonly FoldedRun[]): Table {
  return {
    title: "Recorded runs, folded automatically",
    columns: [
      "set",
      "runs",
      "steps",
      "full history",
      "context at the end",
      "below full",
      "at step 100",
      "below full at step 100",
      "largest context",
      "byte for byte",
    ],
    rows: grouped(runs, ({ name }) => name).map(([name, group]) => {
      const ends = group.flatMap(({ points }) => points.at(-1) ?? []);
      const full = ends.reduce((sum, { fullTokens }) => sum + fullTokens, 0);
      const tokens = ends.reduce((sum, end) => sum + end.tokens, 0);
      const hundred = group.flatMap((run) => pointAt(run, 100) ?? []);
      const share = 1 - mean(hundred.map((point) => point.tokens / point.fullTokens));
      return [
        name,
        group.length,
        group.reduce((sum, { steps }) => sum + steps, 0),
        full,
        tokens,
        percent(1 - tokens / full),
        hundred.length === 0 ? "no run as long" : Math.round(mean(hundred.map((point) => point.tokens))),
        hundred.length === 0 ? "no run as long" : percent(share),
        Math.max(...group.flatMap(({ points }) => points.map((point) => point.tokens))),
        `${group.filter(({ intact }) => intact).length} of ${group.length}`,
      ];
    }),
    note: "The latest interaction and the user's words stay in full, so the context is long where they are. Short runs have little to fold.",
  };
}

/** Returns what malformed directives did. */
export function malformedTable({ directives, crashes, lostThreads, gaps, refused }: MalformedResult): Table {
  return {
    title: "Malformed directives",
    columns: [
      "directives",
      "refused and explained",
      "crashes",
      "threads not whole",
      "steps in no block or in two",
    ],
    rows: [[directives, refused, crashes, lostThreads, gaps]],
    note: "Directives that are not refused were readable: in a code fence, with a trailing comma, or cut off after the last value.",
  };
}

export function grouped(
  runs: readonly FoldedRun[],
  nameOf: (run: FoldedRun) => string,
): readonly (readonly [string, readonly FoldedRun[]])[] {
  const names = [...new Set(runs.map(nameOf))];
  return names.map((name) => [name, runs.filter((run) => nameOf(run) === name)] as const);
}
