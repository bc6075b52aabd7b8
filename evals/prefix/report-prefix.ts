import type { Comparison, Table } from "../suite.js";
import type { PrefixRow } from "./play.js";
import { groupsOf } from "../metrics/groups-of.js";
import { percent } from "../report/format-value.js";
import { tableOf, type Column } from "../report/table-of.js";

/** Returns a table for each work, provider and window, and one for the journeys of each. */
export function prefixTables(rows: readonly PrefixRow[]): readonly Table[] {
  return groupsOf(rows, titleOf).map(([title, own]) => tableOf(own, { title, columns, note }));
}

function titleOf({ window, provider, work, journey }: PrefixRow): string {
  return [
    journey === "straight" ? `Work: ${work}` : "In the middle of a run",
    provider === "anthropic" ? "Anthropic" : "OpenAI",
    `window of ${window.toLocaleString("en")} tokens`,
  ].join(", ");
}

const columns: readonly Column<PrefixRow>[] = [
  ["system", (row) => (row.journey === "straight" ? row.system : `${row.system}, ${row.journey}`)],
  ["calls", (row) => row.calls],
  ["refused", (row) => row.refused],
  ["blocks dropped", (row) => row.dropped],
  ["reasoning kept", (row) => percent(row.kept)],
  ["kept between compactions", (row) => (row.isOurs ? percent(row.keptBetween) : "")],
  ["blocks in a prompt", (row) => row.blocks.toFixed(1)],
  ["rewrites", (row) => row.rewrites],
  ["compactions", (row) => (row.isOurs ? row.compactions : "")],
  ["same bytes between", (row) => (row.isOurs ? percent(row.prefixBetween) : "")],
  ["ended", (row) => row.failure ?? "done"],
];

const note = [
  "One thinking block in each reply, the real client of the provider, every system with a trigger at 0.85 of the window and 0.1 of it kept.",
  "Refused: calls that Anthropic's default answers with a 400; the server drops the blocks instead, so that the run goes on. OpenAI refuses none.",
  "Reasoning kept: valid blocks sent, of those that an append-only history with the same cuts would hold.",
  "Rewrites: calls whose prompt does not begin with the whole prompt before it. Between: calls before which the system reported no change.",
  "What each system bills is in the suite cost.",
  "Overflow: the window of the server is 0.6 of what the agent was told. Fork: the run goes on from a checkpoint in its middle. Resume: the provider fails once.",
].join(" ");

/** Returns the straight runs through pages with the client of Anthropic. */
function pagesOf(rows: readonly PrefixRow[]): readonly PrefixRow[] {
  return rows.filter(
    ({ journey, work, provider }) => journey === "straight" && work === "pages" && provider === "anthropic",
  );
}

/** Returns the calls of the ladder that are refused, beside those of the others, in each window. */
export function prefixComparisons(rows: readonly PrefixRow[]): readonly Comparison[] {
  return groupsOf(pagesOf(rows), ({ window }) => window).flatMap(([window, own]) =>
    own
      .filter(({ system }) => system === "compactionNode")
      .map((row) => ({
        measure: `calls refused for stale reasoning, window of ${window / 1_000}k, generated, ${row.system}`,
        unit: "share" as const,
        better: "lower" as const,
        ours: row.refused / row.calls,
        rivals: own
          .filter(({ isOurs }) => !isOurs)
          .map(({ system, refused, calls }) => ({ name: system, value: refused / Math.max(1, calls) })),
        margin: 0,
      })),
  );
}

/** Returns what each of our strategies keeps of the reasoning of a model that binds it to an unchanged prompt. */
export function reasoningChoices(rows: readonly PrefixRow[]): Table {
  const [window] = rows.map((row) => row.window);
  const played = pagesOf(rows).filter(
    (row) => row.isOurs && row.window === window && !row.system.includes("PACE"),
  );
  return tableOf(played, {
    title: "Reasoning",
    columns: [
      ["strategy", ({ system }) => system],
      ["calls", ({ calls }) => calls],
      ["refused", ({ refused }) => refused],
      ["reasoning kept", ({ kept }) => percent(kept, 0)],
      ["blocks in a prompt", ({ blocks }) => blocks.toFixed(1)],
      ["rewrites", ({ rewrites }) => rewrites],
    ],
    note:
      `Pages read in a window of ${window?.toLocaleString("en")} tokens through the client of Anthropic, against a server that checks reasoning as the provider does. ` +
      "Kept: valid blocks sent, of those that an append-only history with the same cuts would hold. Rewrites: calls whose prompt does not begin with the whole prompt before.",
  });
}
