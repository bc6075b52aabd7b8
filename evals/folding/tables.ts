import type { Table } from "../suite.js";
import type { MalformedResult } from "./malformed-directives.js";
import type { FoldedRun } from "./measure-runs.js";
import { pointAt } from "./point-at.js";
import { percent } from "../report/format-value.js";
import { mean } from "../metrics/quantile.js";
import { tableOf } from "../report/table-of.js";

/** Returns the results of folding on generated runs: a row for each habit and length. */
export function generatedTable(runs: readonly FoldedRun[]): Table {
  const groups = grouped(runs, ({ name, steps }) => `${name}, ${steps} steps`).map(([name, group]) => {
    const ends = group.flatMap(({ points }) => points.at(-1) ?? []);
    const full = mean(ends.map(({ fullTokens }) => fullTokens));
    return { name, group, ends, full, tokens: mean(ends.map((end) => end.tokens)) };
  });
  return tableOf(groups, {
    title: "Generated runs of a web agent, by how its model folds",
    columns: [
      ["a model that", ({ name }) => name],
      ["runs", ({ group }) => group.length],
      ["full history", ({ full }) => Math.round(full)],
      ["context at the end", ({ tokens }) => Math.round(tokens)],
      ["below full", ({ tokens, full }) => percent(1 - tokens / full)],
      ["largest context", ({ group }) => largestOf(group)],
      ["blocks", ({ ends }) => Math.max(...ends.map(({ blocks }) => blocks))],
      ["unfolds", ({ group }) => Math.max(...group.map(({ unfolds }) => unfolds))],
      ["log2(steps)", ({ group }) => Math.log2(group[0]?.steps ?? 1).toFixed(1)],
      ["rewrites", ({ group }) => Math.max(...group.map(({ rewrites }) => rewrites))],
      ["refused", ({ group }) => mean(group.map(({ refused }) => refused)).toFixed(0)],
      ["ms a step", ({ group }) => mean(group.map(({ millisecondsAStep: ms }) => ms)).toFixed(1)],
    ],
    note: "Estimated tokens of the messages: goal, blocks and latest interaction. The paper's 3.5k to 7k include a system prompt and tools of about 3.5k, which are not counted here. The archive is in a directory, opened by a new filesystem after the run.",
  });
}

/** Returns the tokens of the largest context that the runs had. */
export function largestOf(runs: readonly FoldedRun[]): number {
  return Math.max(...runs.flatMap(({ points }) => points.map(({ tokens }) => tokens)));
}

/** Returns the results of folding on recorded runs. Their models never fold: all summaries are automatic. */
export function recordedTable(runs: readonly FoldedRun[]): Table {
  const sets = grouped(runs, ({ name }) => name).map(([name, group]) => {
    const ends = group.flatMap(({ points }) => points.at(-1) ?? []);
    const hundred = group.flatMap((run) => pointAt(run, 100) ?? []);
    const full = ends.reduce((sum, { fullTokens }) => sum + fullTokens, 0);
    return { name, group, hundred, full, tokens: ends.reduce((sum, end) => sum + end.tokens, 0) };
  });
  type Points = (typeof sets)[number]["hundred"];
  const atHundred = (points: Points, value: (points: Points) => string | number) =>
    points.length === 0 ? "no run as long" : value(points);
  return tableOf(sets, {
    title: "Recorded runs, folded automatically",
    columns: [
      ["set", ({ name }) => name],
      ["runs", ({ group }) => group.length],
      ["steps", ({ group }) => group.reduce((sum, { steps }) => sum + steps, 0)],
      ["full history", ({ full }) => full],
      ["context at the end", ({ tokens }) => tokens],
      ["below full", ({ tokens, full }) => percent(1 - tokens / full)],
      [
        "at step 100",
        ({ hundred }) => atHundred(hundred, (all) => Math.round(mean(all.map((one) => one.tokens)))),
      ],
      [
        "below full at step 100",
        ({ hundred }) =>
          atHundred(hundred, (all) => percent(1 - mean(all.map((one) => one.tokens / one.fullTokens)))),
      ],
      ["largest context", ({ group }) => largestOf(group)],
      ["byte for byte", ({ group }) => `${group.filter(({ intact }) => intact).length} of ${group.length}`],
    ],
    note: "The latest interaction and the user's words stay in full, so the context is long where they are. Short runs have little to fold.",
  });
}

/** Returns what malformed directives did. */
export function malformedTable(result: MalformedResult): Table {
  return tableOf([result], {
    title: "Malformed directives",
    columns: [
      ["directives", ({ directives }) => directives],
      ["refused and explained", ({ refused }) => refused],
      ["crashes", ({ crashes }) => crashes],
      ["threads not whole", ({ lostThreads }) => lostThreads],
      ["steps in no block or in two", ({ gaps }) => gaps],
    ],
    note: "Directives that are not refused were readable: in a code fence, with a trailing comma, or cut off after the last value.",
  });
}

export function grouped(
  runs: readonly FoldedRun[],
  nameOf: (run: FoldedRun) => string,
): readonly (readonly [string, readonly FoldedRun[]])[] {
  const names = [...new Set(runs.map(nameOf))];
  return names.map((name) => [name, runs.filter((run) => nameOf(run) === name)] as const);
}
