import type { Chunk } from "../data/chunks.js";
import type { Trajectory } from "../data/trajectory.js";
import { estimateOf, type Estimate } from "../metrics/estimate.js";
import { mean } from "../metrics/quantile.js";
import type { Found, Lane, Searching } from "./lane.js";
import { nextStepsOf, type NextStep } from "./next-steps.js";

export const depths = [5, 10] as const;
/** Hits to request, so that ten different steps are among them. */
const asked = 60;
const seeds = [1, 2, 3, 4, 5];

/** Results of searches with the agent's own words. */
export interface NextStepRecall {
  readonly lane: string;
  /** Share of the wanted strings that stand word for word in what the search shows. */
  readonly shown: Estimate | undefined;
  /** Mean tokens, of four characters, of what the search shows. */
  readonly tokens: number;
  /** Share of the wanted strings in the steps of the first hits, each step taken whole. */
  readonly steps: readonly (Estimate | undefined)[];
}

interface Seen {
  readonly shown: number;
  readonly tokens: number;
  readonly steps: readonly number[];
}

/**
 * Returns what a lane finds of the far evidence of each next step. It shows at most `room` tokens, unless it is measured with its
 * whole answer.
 */
export async function measureNextSteps(
  trajectories: readonly Trajectory[],
  lane: Lane,
  room: number,
): Promise<NextStepRecall> {
  const runs: (readonly Seen[])[] = [];
  for (const seed of lane.isRandom === true ? seeds : [1])
    for (const trajectory of trajectories)
      runs.push(await playRun(trajectory, lane.start(seed), lane.isWhole === true ? Infinity : room));
  return {
    lane: lane.name,
    shown: estimateOf(runs.map((run) => run.map(({ shown }) => shown))),
    tokens: mean(runs.flat().map(({ tokens }) => tokens)),
    steps: depths.map((_, depth) => estimateOf(runs.map((run) => run.map((one) => one.steps[depth] ?? 0)))),
  };
}

/** A chunk can be found once more than ten chunks have come after it. */
async function playRun(trajectory: Trajectory, searching: Searching, room: number): Promise<readonly Seen[]> {
  const { chunks, steps } = nextStepsOf(trajectory);
  const seen: Seen[] = [];
  let added = 0;
  for (const step of steps) {
    for (; added < step.old; added++) await searching.add(chunks[added]?.text ?? "", added);
    const found = await searching.find(step.ownWords, asked);
    const answer = (await searching.answer?.(step.ownWords)) ?? found.map(({ text }) => text).join("\n\n");
    seen.push(look(step, stepsOfHits(found, chunks), answer.slice(0, 4 * room)));
  }
  searching.close?.();
  return seen;
}

function stepsOfHits(found: readonly Found[], chunks: readonly Chunk[]): readonly string[] {
  return [...new Set(found.map(({ from }) => from))].map((from) => chunks[from]?.text ?? "");
}

function look({ wanted }: NextStep, whole: readonly string[], answer: string): Seen {
  const share = (shown: readonly string[]) =>
    wanted.filter((atom) => shown.some((text) => text.includes(atom))).length / wanted.length;
  return {
    shown: share([answer]),
    tokens: answer.length / 4,
    steps: depths.map((depth) => share(whole.slice(0, depth))),
  };
}
