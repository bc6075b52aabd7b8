import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "@palimpsest/context";
import { isAi } from "@palimpsest/context/internal";
import { readTrajectories, sessionFolders } from "../data/read-trajectories.js";
import type { Trajectory } from "../data/trajectory.js";
import { fullHistory } from "../policies/unbudgeted.js";
import { number, numbers, readOptions, text } from "../run/read-options.js";
import type { Suite, SuiteResult } from "../suite.js";
import { generatedStep } from "./generated-steps.js";
import { measureRecall, type DecadeRecall } from "./measure-recall.js";
import { reportHorizon, type Session, type WalkRow } from "./report-horizon.js";
import type { HorizonSystem } from "./system.js";
import { cumulativeSummary } from "./systems/cumulative-summary.js";
import { deepAgents } from "./systems/deep-agents.js";
import { maskResults } from "./systems/mask-results.js";
import { ofPolicy } from "./systems/of-policy.js";
import { ourFolding, ourLadder, ourPace, ourPredictive } from "./systems/ours.js";
import { walk } from "./walk.js";

const systems: readonly HorizonSystem[] = [
  ofPolicy(fullHistory),
  cumulativeSummary,
  maskResults(10),
  deepAgents,
  ourLadder,
  ourPredictive,
  ourPace(0.5),
  ourPace(1),
  ourFolding,
];
const seed = 1;
/** The stress test of PACE: its longest run ended at 4,897 steps, at lambda 1. Played with `--data`, in the window of the paper. */
const stress = {
  systems: [ourPredictive, ourPace(0.5), ourPace(1)],
  windows: [128_000],
  most: 5_000,
  seconds: 300,
};

/**
 * The horizon test: tasks one after the other in one session until a window overflows, and what can be found again then.
 * `[--steps N] [--window N]... [--seconds N] [--only TEXT]`; `--seconds` is for each system in each window, and `--only`
 * takes the systems with that in their name.
 */
export const horizon: Suite = async ({ data, quick = false, args, progress }): Promise<SuiteResult> => {
  const {
    steps: most,
    window: windows,
    seconds,
    only,
  } = readOptions(args, {
    steps: number(1, quick ? 250 : data === undefined ? 400 : 2_000),
    window: numbers(1, windowsFor(data, quick)),
    seconds: number(1, quick ? 3 : 10),
    only: text(""),
  });
  const played = systems.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
  if (played.length === 0) throw new Error(`--only is ${only}: no system has that in its name`);
  const sources = [made, ...(await recordedSource(data))];
  const plays: Play[] = sources.map((source) => ({ source, systems: played, windows, most, seconds }));
  const isStressed = [data !== undefined, !quick, only === ""].every(Boolean);
  if (isStressed) plays.push({ source: { ...made, name: "generated stress-test" }, ...stress });
  const sessions: Session[] = [];
  for (const one of plays) sessions.push(await play(one, progress));
  return reportHorizon(sessions, seed);
};

interface Source {
  readonly name: string;
  readonly steps: () => Iterable<readonly BaseMessage[]>;
  /** Whether it has needles. */
  readonly recall: boolean;
}

const made: Source = { name: "generated", steps: () => generatedSteps(), recall: true };

/** Returns the recorded runs as one session; none without them. */
async function recordedSource(data: string | undefined): Promise<readonly Source[]> {
  if (data === undefined) return [];
  const runs = await readTrajectories(data, { sets: ["who-and-when", ...sessionFolders(data)] });
  const name = "who-and-when, then coding";
  return runs.length === 0 ? [] : [{ name, steps: () => recordedSteps(runs), recall: false }];
}

interface Play {
  readonly source: Source;
  readonly systems: readonly HorizonSystem[];
  readonly windows: readonly number[];
  readonly most: number;
  readonly seconds: number;
}

async function play(
  { source, systems: played, windows, most, seconds }: Play,
  progress: (line: string) => void,
): Promise<Session> {
  const walks: WalkRow[] = [];
  for (const window of windows) {
    for (const [index, system] of played.entries()) {
      progress(`${index}/${played.length} ${source.name}, ${window} tokens, ${system.name}`);
      let recall: readonly DecadeRecall[] = [];
      const walked = await walk({
        system,
        window,
        steps: source.steps(),
        most,
        seconds,
        atEnd: async (run, steps) => {
          if (source.recall) recall = await measureRecall(run, { seed, steps });
        },
      });
      walks.push({ ...walked, recall });
    }
  }
  return { name: source.name, most, seconds, walks };
}

/** The larger window takes as long as all else: it is played with recorded runs. */
function windowsFor(data: string | undefined, quick: boolean): readonly number[] {
  if (quick) return [16_000];
  return data === undefined ? [32_000] : [128_000, 256_000];
}

function* generatedSteps(): Generator<readonly BaseMessage[]> {
  for (let step = 0; ; step++) yield generatedStep(seed, step);
}

/**
 * Returns the steps of runs, one run after the other: what the agent says, of one or more messages in a row, and all
 * that comes before it speaks again.
 */
function* recordedSteps(runs: readonly Trajectory[]): Generator<readonly BaseMessage[]> {
  for (const [at, { messages }] of runs.entries()) {
    const own = messages.map((message) => withRun(message, at));
    let step: BaseMessage[] = [];
    for (const [index, message] of own.entries()) {
      const previous = own[index - 1];
      if (previous !== undefined && isAi(message) && !isAi(previous)) {
        yield step;
        step = [];
      }
      step.push(message);
    }
    if (step.length > 0) yield step;
  }
}

/** Ids of messages and calls repeat from run to run, and one session holds them all. */
function withRun(message: BaseMessage, run: number): BaseMessage {
  return copyMessage(message, { id: `${run}-${message.id ?? ""}` });
}
