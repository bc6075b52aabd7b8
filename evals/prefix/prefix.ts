import { generateTrajectory } from "../data/made/generate-trajectory.js";
import { readTrajectories, sessionFolders } from "../data/read-trajectories.js";
import type { Trajectory } from "../data/trajectory.js";
import { flag, number, readOptions, text } from "../run/read-options.js";
import type { Suite, Table } from "../suite.js";
import { reasoningChoices } from "./choice-table.js";
import { playPrefix, type PrefixRow, type PrefixRun } from "./play.js";
import type { ProviderName } from "./providers.js";
import { replayedWork } from "./replayed-work.js";
import type { Journey } from "./script.js";
import { prefixSystems } from "./systems.js";
import { audit, pages, type Work } from "./works.js";
import { percent } from "../report/format-value.js";
import { groupsOf } from "../metrics/groups-of.js";
import { tableOf, type Column } from "../report/table-of.js";

/** Steps that fill a window `times` times, at 1,700 tokens a step. */
const stepsFor = (window: number, times: number) => Math.round((times * window) / 1_700);
const providerNames: readonly ProviderName[] = ["anthropic", "openai"];
const journeys: readonly Journey[] = ["streaming", "resume", "fork", "overflow", "unfold"];
const usual = prefixSystems.filter(({ isVariant }) => isVariant !== true);

/**
 * What the rewriting of history costs with a model that binds its reasoning to an unchanged prefix, through the real clients
 * and servers that check the published rules: in a window of 16,000 tokens
 * and, with `--data`, of 32,000 as well, and every journey with both providers. `[--window N]` plays one window; `[--large]` plays 128,000 and 200,000 tokens, with the
 * recorded runs where there are any, and takes many minutes; `[--only TEXT]` plays the systems with that in their name.
 */
export const prefix: Suite = async ({ quick = false, data, args, progress }) => {
  const { window, large, only } = readOptions(args, {
    window: number(8_000, undefined),
    large: flag,
    only: text(""),
  });
  const usualWindows = large ? [128_000, 200_000] : quick || data === undefined ? [16_000] : [16_000, 32_000];
  const windows = window === undefined ? usualWindows : [window];
  const recorded = await recordedRuns(data);
  const runs = windows.flatMap((one, at) =>
    runsIn(one, { quick, recorded, isBroad: at === 0 && one < largeWindow }),
  );
  const rows: PrefixRow[] = [];
  for (const run of runs.filter(({ system }) => system.name.includes(only))) {
    progress(
      `prefix: ${run.system.name}, ${run.provider}, ${run.work.name}, ${run.journey ?? "straight"}, window of ${run.window.toLocaleString("en")}`,
    );
    rows.push(await playPrefix(run));
  }
  const ladder = rows.filter(({ isLadder }) => isLadder);
  return {
    suite: "prefix",
    question:
      "With a model that binds its reasoning to an unchanged prefix: is any call refused, and what reasoning is kept?",
    cases: rows.reduce((sum, { calls }) => sum + calls, 0),
    passed: rows.filter(({ isOurs }) => isOurs).every(holds) && ladder.every(keepsReasoning),
    tables: tablesOf(rows),
    charts: [],
    choices: [reasoningChoices(rows)],
    comparisons: comparisonsOf(rows),
    numbers: rows,
  };
};

/** From here on a run takes a minute, and recorded runs are played for their own sake. */
const largeWindow = 64_000;

interface RunOptions {
  readonly quick: boolean;
  /** @default none: without recorded runs the suite is short */
  readonly recorded: readonly Trajectory[] | undefined;
  /** Plays the other works and journeys as well: in the smallest window alone, because they take as long as all else. */
  readonly isBroad: boolean;
}

function runsIn(window: number, { quick, recorded, isBroad }: RunOptions): readonly PrefixRun[] {
  const all = isBroad && !quick;
  const isShort = quick || recorded === undefined;
  // Played once: each system gets works of its own.
  const recordedWorks = (): readonly Work[] => (recorded ?? []).map(replayedWork);
  const straight = (all ? prefixSystems : usual).flatMap((system) =>
    (all && system.isVariant !== true ? providerNames : (["anthropic"] as const)).map(
      (provider): PrefixRun => {
        return { system, provider, window, work: pages(stepsFor(window, quick ? 2 : 3)) };
      },
    ),
  );
  // Each system gets works of its own: a replayed one gives each recorded result once.
  const worked = (works: () => readonly Work[]) =>
    usual.flatMap((system) =>
      works().map((work): PrefixRun => ({ system, provider: "anthropic", window, work })),
    );
  if (!isBroad) return window < largeWindow ? straight : [...straight, ...worked(recordedWorks)];
  const ours = usual.filter(({ isOurs, name }) => isOurs && (!quick || name === "compactionNode"));
  const travelled = ours.flatMap((system) =>
    (isShort ? (["openai"] as const) : providerNames).flatMap((provider) =>
      journeys.map((journey): PrefixRun => {
        return { system, provider, window, journey, work: pages(stepsFor(window, 2)) };
      }),
    ),
  );
  if (quick) return [...straight, ...travelled];
  const made = () => [
    audit(stepsFor(window, 0.5)),
    replayedWork(generateTrajectory({ seed: 1, steps: stepsFor(window, 3) })),
    ...recordedWorks(),
  ];
  return [...straight, ...travelled, ...worked(made)];
}

/** Returns three recorded runs of each set. */
async function recordedRuns(data: string | undefined): Promise<readonly Trajectory[] | undefined> {
  return data === undefined ? undefined : readTrajectories(data, { sets: sessionFolders(data), limit: 3 });
}

/** True where no call was refused, nothing was dropped, and nothing changed between two compactions. */
function holds(row: PrefixRow): boolean {
  return (
    row.refused === 0 &&
    row.dropped === 0 &&
    row.failure === undefined &&
    row.keptBetween === 1 &&
    row.prefixBetween === 1
  );
}

/** Unfolding by hand leaves out all reasoning behind what it opens, although some of it would be valid again. */
function keepsReasoning({ kept, journey }: PrefixRow): boolean {
  return kept >= 0.95 || journey === "unfold";
}

function comparisonsOf(rows: readonly PrefixRow[]) {
  const straight = rows.filter(({ journey, work }) => journey === "straight" && work === "pages");
  return straight
    .filter(({ system, provider }) => system === "compactionNode" && provider === "anthropic")
    .map((row) => ({
      measure: `calls refused for stale reasoning, window of ${row.window / 1_000}k, generated, ${row.system}`,
      unit: "share" as const,
      better: "lower" as const,
      ours: row.refused / row.calls,
      rivals: straight
        .filter(
          ({ isOurs, window, provider }) => !isOurs && window === row.window && provider === row.provider,
        )
        .map((other) => ({ name: other.system, value: other.refused / Math.max(1, other.calls) })),
      margin: 0,
    }));
}

function tablesOf(rows: readonly PrefixRow[]): readonly Table[] {
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
  ["cache hits", (row) => percent(row.cacheHits)],
  ["rewrites", (row) => row.rewrites],
  ["compactions", (row) => (row.isOurs ? row.compactions : "")],
  ["same bytes between", (row) => (row.isOurs ? percent(row.prefixBetween) : "")],
  ["bill", (row) => Math.round(row.bill)],
  ["summary calls", (row) => row.summaryCalls],
  ["ended", (row) => row.failure ?? "done"],
];

const note = [
  "One thinking block in each reply, the real client of the provider, every system with a trigger at 0.85 of the window and 0.1 of it kept.",
  "Refused: calls that Anthropic's default answers with a 400; the server drops the blocks instead, so that the run goes on. OpenAI refuses none.",
  "Reasoning kept: valid blocks sent, of those that an append-only history with the same cuts would hold.",
  "Rewrites: calls whose prompt does not begin with the whole prompt before it. Between: calls before which the system reported no change.",
  "Systems without summary calls extract their summaries. Bill: all input in thousands of tokens, cached at 0.1, written into the cache at 1.25.",
  "Overflow: the window of the server is 0.6 of what the agent was told. Fork: the run goes on from a checkpoint in its middle. Resume: the provider fails once.",
].join(" ");
