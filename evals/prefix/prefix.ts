import { parseArgs } from "node:util";
import type { Suite, Table } from "../suite.js";
import { playPrefix, type PrefixRow } from "./play.js";
import { prefixSystems } from "./systems.js";

/** Steps that fill a window about three times, at 1,700 tokens a step. */
const stepsFor = (window: number) => Math.round((3 * window) / 1_700);

/**
 * What the rewriting of history costs with a model that binds its reasoning to an unchanged prefix, through the real client
 * and a server that checks the published rule. `[--window N]` plays one window; 128,000 takes two minutes.
 */
export const prefix: Suite = async ({ quick = false, args, progress }) => {
  const { values } = parseArgs({ args: [...args], options: { window: { type: "string" } } });
  const windows =
    values.window === undefined ? (quick ? [16_000] : [16_000, 32_000]) : [Number(values.window)];
  if (!windows.every((window) => window >= 8_000)) {
    throw new Error(`--window is ${values.window}: use a number, 8000 or more`);
  }
  const rows: PrefixRow[] = [];
  for (const window of windows) {
    for (const system of prefixSystems) {
      progress(`prefix: ${system.name}, window of ${window.toLocaleString("en")}`);
      rows.push(await playPrefix(system, window, stepsFor(window)));
    }
  }
  const ours = rows.filter(isOurs);
  const ladder = rows.filter(({ system }) => system.startsWith("compactionNode"));
  const holds = ours.every(
    ({ refused, dropped, failure, calls, window }) =>
      refused === 0 && dropped === 0 && failure === undefined && calls > stepsFor(window),
  );
  return {
    suite: "prefix",
    question:
      "With a model that binds its reasoning to an unchanged prefix: is any call refused, and what reasoning is kept?",
    cases: rows.reduce((sum, { calls }) => sum + calls, 0),
    passed: holds && ladder.every(({ kept }) => kept >= 0.95),
    tables: windows.map((window) =>
      tableOf(
        rows.filter((row) => row.window === window),
        window,
      ),
    ),
    charts: [],
    comparisons: ladder.map((row) => ({
      measure: `calls refused for stale reasoning, window of ${row.window / 1_000}k, generated, ${row.system}`,
      unit: "share" as const,
      better: "lower" as const,
      ours: row.refused / row.calls,
      rivals: rows
        .filter((other) => other.window === row.window && !isOurs(other))
        .map((other) => ({ name: other.system, value: other.refused / Math.max(1, other.calls) })),
      margin: 0,
    })),
    numbers: rows,
  };
};

function isOurs({ system }: PrefixRow): boolean {
  return prefixSystems.some(({ name, isOurs: own }) => name === system && own);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function tableOf(rows: readonly PrefixRow[], window: number): Table {
  return {
    title: `Reasoning in a window of ${window.toLocaleString("en")} tokens`,
    columns: [
      "system",
      "calls",
      "refused",
      "blocks dropped",
      "reasoning kept",
      "same prefix",
      "bill",
      "summary calls",
      "ended",
    ],
    rows: rows.map((row) => [
      row.system,
      row.calls,
      row.refused,
      row.dropped,
      percent(row.kept),
      percent(row.prefix),
      Math.round(row.bill),
      row.summaryCalls,
      row.failure ?? "done",
    ]),
    note:
      "One page of 6,000 characters and one thinking block a step, the real client of Anthropic, every system with its defaults. " +
      "Refused: calls that the provider's default answers with a 400; the server drops the blocks instead, so that the run goes on. " +
      "Reasoning kept: valid blocks sent, of those that the history as sent would have allowed. " +
      "Systems without summary calls extract their summaries. Bill: input in thousands of tokens of four characters, cached at 0.1, written at 1.25.",
  };
}
