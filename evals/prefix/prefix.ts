import { generateTrajectory } from "../data/made/generate-trajectory.js";
import { readTrajectories, sessionFolders } from "../data/read-trajectories.js";
import type { Trajectory } from "../data/trajectory.js";
import { sumOf } from "../metrics/sum-of.js";
import { number, readOptions, text } from "../run/read-options.js";
import type { Suite } from "../suite.js";
import { playPrefix, type PrefixRow, type PrefixRun } from "./play.js";
import type { ProviderName } from "./providers.js";
import { replayedWork } from "./replayed-work.js";
import { prefixComparisons, prefixTables, reasoningChoices } from "./report-prefix.js";
import type { Journey } from "./script.js";
import { prefixSystems, type PrefixSystem } from "./systems.js";
import { pages, type Work } from "./works.js";

/** Steps that fill a window `times` times, at 1,700 tokens a step. */
const stepsFor = (window: number, times: number) => Math.round((times * window) / 1_700);

/**
 * What the rewriting of history costs with a model that binds its reasoning to an unchanged prefix, through the real clients
 * and servers that check the published rules: in a window of 16,000 tokens
 * and, with `--data`, of 32,000 as well, and every journey with both providers. `[--window N]` plays one window;
 * `[--only TEXT]` plays the systems with that in their name.
 */
export const prefix: Suite = async ({ quick = false, data, args, progress }) => {
  const { window, only } = readOptions(args, { window: number(8_000, undefined), only: text("") });
  const recorded = await recordedRuns(data);
  const runs = quick ? quickRuns(window ?? 16_000) : allRuns(window, recorded);
  const rows: PrefixRow[] = [];
  for (const run of runs.filter(({ system }) => system.name.includes(only))) {
    const size = run.window.toLocaleString("en");
    progress(
      `prefix: ${run.system.name}, ${run.provider}, ${run.work.name}, ${run.journey}, window of ${size}`,
    );
    rows.push(await playPrefix(run));
  }
  return {
    suite: "prefix",
    question:
      "With a model that binds its reasoning to an unchanged prefix: is any call refused, and what reasoning is kept?",
    cases: sumOf(rows, ({ calls }) => calls),
    passed:
      rows.filter(({ isOurs }) => isOurs).every(holds) &&
      rows.filter(({ isLadder }) => isLadder).every(keepsReasoning),
    tables: prefixTables(rows),
    charts: [],
    choices: [reasoningChoices(rows)],
    comparisons: prefixComparisons(rows),
    numbers: rows,
  };
};

interface Plan {
  readonly systems: readonly PrefixSystem[];
  readonly providers: readonly ProviderName[];
  readonly journeys: readonly Journey[];
  /** Called for each run: a replayed work gives each recorded result once. */
  readonly works: (window: number) => readonly Work[];
}

function runsOf(window: number, { systems, providers, journeys: ways, works }: Plan): readonly PrefixRun[] {
  return systems.flatMap((system) =>
    providers.flatMap((provider) =>
      ways.flatMap((journey) => works(window).map((work) => ({ system, provider, window, journey, work }))),
    ),
  );
}

/** Pages that fill the window three times, read by each system. */
const straight: Plan = {
  systems: prefixSystems.filter(({ isVariant }) => isVariant !== true),
  providers: ["anthropic"],
  journeys: ["straight"],
  works: (window) => [pages(stepsFor(window, 3))],
};
/** Runs of ours to which something happens in their middle. */
const travelled: Plan = {
  systems: straight.systems.filter(({ isOurs }) => isOurs),
  providers: ["openai"],
  journeys: ["streaming", "resume", "fork", "overflow", "unfold"],
  works: (window) => [pages(stepsFor(window, 2))],
};

function quickRuns(window: number): readonly PrefixRun[] {
  const systems = travelled.systems.filter(({ name }) => name === "compactionNode");
  return [
    ...runsOf(window, { ...straight, works: travelled.works }),
    ...runsOf(window, { ...travelled, systems }),
  ];
}

/** Everything in one window, and with recorded runs pages in a second one as well. Without recorded runs the suite is short. */
function allRuns(
  given: number | undefined,
  recorded: readonly Trajectory[] | undefined,
): readonly PrefixRun[] {
  const window = given ?? 16_000;
  const made = generateTrajectory({ seed: 1, steps: stepsFor(window, 3) });
  return [
    ...runsOf(window, { ...straight, systems: prefixSystems }),
    ...runsOf(window, { ...straight, providers: ["openai"] }),
    ...runsOf(
      window,
      recorded === undefined ? travelled : { ...travelled, providers: ["anthropic", "openai"] },
    ),
    ...runsOf(window, { ...straight, works: () => [made, ...(recorded ?? [])].map(replayedWork) }),
    ...(recorded === undefined || given !== undefined ? [] : runsOf(32_000, straight)),
  ];
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
