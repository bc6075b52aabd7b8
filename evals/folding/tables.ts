import type { Table } from "../suite.js";
import type { FoldedThread, FoldPoint } from "./fold-thread.js";
import { percent } from "../report/format-value.js";
import { groupsOf } from "../metrics/groups-of.js";
import { mean } from "../metrics/quantile.js";
import { sumOf } from "../metrics/sum-of.js";
import { tableOf } from "../report/table-of.js";

/** A run by its habit or its set. */
export interface FoldedRun extends FoldedThread {
  readonly name: string;
}

/** Returns the context of a run at a step, or undefined where the run is shorter. */
export function pointAt({ points }: FoldedRun, step: number): FoldPoint | undefined {
  return points.find((point) => point.step === step);
}

/** Returns the results of folding on generated runs: a row for each habit and length. */
export function generatedTable(runs: readonly FoldedRun[]): Table {
  return tableOf(
    groupsOf(runs, ({ name, steps }) => `${name}, ${steps} steps`),
    {
      title: "Generated runs of a web agent, by how its model folds",
      columns: [
        ["a model that", ([name]) => name],
        ["runs", ([, group]) => group.length],
        ["full history", ([, group]) => Math.round(mean(atEnd(group, "fullTokens")))],
        ["context at the end", ([, group]) => Math.round(mean(atEnd(group, "tokens")))],
        ["below full", ([, group]) => belowFull(group)],
        ["largest context", ([, group]) => largestOf(group)],
        ["blocks", ([, group]) => Math.max(...atEnd(group, "blocks"))],
        ["unfolds", ([, group]) => Math.max(...group.map(({ unfolds }) => unfolds))],
        ["log2(steps)", ([, group]) => Math.log2(group[0]?.steps ?? 1).toFixed(1)],
        ["rewrites", ([, group]) => Math.max(...group.map(({ rewrites }) => rewrites))],
        ["refused", ([, group]) => mean(group.map(({ refused }) => refused)).toFixed(0)],
        ["ms a step", ([, group]) => mean(group.map(({ millisecondsAStep: ms }) => ms)).toFixed(1)],
      ],
      note: "Estimated tokens of the messages: goal, blocks and latest interaction. The paper's 3.5k to 7k include a system prompt and tools of about 3.5k, which are not counted here. The archive is in a directory, opened by a new filesystem after the run.",
    },
  );
}

/** Returns the results of folding on recorded runs. Their models never fold: all summaries are automatic. */
export function recordedTable(runs: readonly FoldedRun[]): Table {
  return tableOf(
    groupsOf(runs, ({ name }) => name),
    {
      title: "Recorded runs, folded automatically",
      columns: [
        ["set", ([name]) => name],
        ["runs", ([, group]) => group.length],
        ["steps", ([, group]) => sumOf(group, ({ steps }) => steps)],
        ["full history", ([, group]) => sumOf(atEnd(group, "fullTokens"), (tokens) => tokens)],
        ["context at the end", ([, group]) => sumOf(atEnd(group, "tokens"), (tokens) => tokens)],
        ["below full", ([, group]) => belowFull(group)],
        ["at step 100", ([, group]) => atHundred(group, meanTokens)],
        ["below full at step 100", ([, group]) => atHundred(group, meanBelow)],
        ["largest context", ([, group]) => largestOf(group)],
        ["byte for byte", ([, group]) => `${group.filter(({ intact }) => intact).length} of ${group.length}`],
      ],
      note: "The latest interaction and the user's words stay in full, so the context is long where they are. Short runs have little to fold.",
    },
  );
}

/** Returns how large the context of a web agent is at the end of a run with `foldNode`. */
export function browsingChoices(runs: readonly FoldedRun[]): Table {
  return tableOf(
    groupsOf(runs, ({ steps, name }) => `${steps.toLocaleString("en")}, ${name}`),
    {
      title: "Browsing",
      columns: [
        ["steps, a model that", ([name]) => name],
        ["full history", ([, group]) => Math.round(mean(atEnd(group, "fullTokens")))],
        ["foldNode, at the end", ([, group]) => Math.round(mean(atEnd(group, "tokens")))],
        ["largest", ([, group]) => largestOf(group)],
      ],
      note: "Estimated tokens of the messages in generated runs of a web agent. Every step comes back byte for byte from the archive.",
    },
  );
}

function atEnd(group: readonly FoldedRun[], field: "tokens" | "fullTokens" | "blocks"): readonly number[] {
  return group.flatMap(({ points }) => points.at(-1)?.[field] ?? []);
}

function belowFull(group: readonly FoldedRun[]): string {
  return percent(1 - mean(atEnd(group, "tokens")) / mean(atEnd(group, "fullTokens")));
}

/** Returns the tokens of the largest context that the runs had. */
function largestOf(runs: readonly FoldedRun[]): number {
  return Math.max(...runs.flatMap(({ points }) => points.map(({ tokens }) => tokens)));
}

/** Returns a value of the contexts at step 100, of the runs that are as long. */
function atHundred(
  group: readonly FoldedRun[],
  value: (points: readonly FoldPoint[]) => string | number,
): string | number {
  const points = group.flatMap((run) => pointAt(run, 100) ?? []);
  return points.length === 0 ? "no run as long" : value(points);
}

function meanTokens(points: readonly FoldPoint[]): number {
  return Math.round(mean(points.map(({ tokens }) => tokens)));
}

function meanBelow(points: readonly FoldPoint[]): string {
  return percent(1 - mean(points.map(({ tokens, fullTokens }) => tokens / fullTokens)));
}
