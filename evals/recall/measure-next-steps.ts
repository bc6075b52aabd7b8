import type { Chunk } from "../data/chunks.js";
import type { Trajectory } from "../data/trajectory.js";
import { estimateOf, type Estimate } from "../metrics/estimate.js";
import type { Found, Lane } from "./lanes.js";
import { nextStepsOf, queries, type NextStep, type QueryName } from "./next-steps.js";

export const depths = [5, 10] as const;
/** Hits to request, so that ten different steps are among them. */
const asked = 60;
const seeds = [1, 2, 3, 4, 5];

/** Results of one search with one kind of query. */
export interface NextStepRecall {
  readonly lane: string;
  readonly query: QueryName;
  /** Share of the wanted strings in the first hits: steps taken whole, and the passages alone. */
  readonly steps: readonly (Estimate | undefined)[];
  readonly passages: readonly (Estimate | undefined)[];
  /** Mean tokens, of four characters, of the first ten passages. */
  readonly tokens: number;
}

interface Seen {
  readonly steps: readonly number[];
  readonly passages: readonly number[];
  readonly tokens: number;
}

/** Returns what a lane finds of the far evidence of each next step, by each kind of query. */
export async function measureNextSteps(
  trajectories: readonly Trajectory[],
  lane: Lane,
): Promise<readonly NextStepRecall[]> {
  const runs: Readonly<Record<QueryName, Seen[]>>[] = [];
  for (const seed of lane.isRandom === true ? seeds : [1])
    for (const trajectory of trajectories) runs.push(await playRun(trajectory, lane, seed));
  return queries.map((query) => {
    const seen = runs.map((run) => run[query]);
    const at = (kind: "steps" | "passages", depth: number) =>
      estimateOf(seen.map((run) => run.map((one) => one[kind][depth] ?? 0)));
    const all = seen.flat();
    return {
      lane: lane.name,
      query,
      steps: depths.map((_, depth) => at("steps", depth)),
      passages: depths.map((_, depth) => at("passages", depth)),
      tokens: all.reduce((sum, { tokens }) => sum + tokens, 0) / Math.max(1, all.length),
    };
  });
}

/** A chunk can be found once more than ten chunks have come after it. */
async function playRun(trajectory: Trajectory, lane: Lane, seed: number): Promise<Record<QueryName, Seen[]>> {
  const { chunks, steps } = nextStepsOf(trajectory);
  const searching = lane.start(seed);
  const seen: Record<QueryName, Seen[]> = { ownWords: [], published: [] };
  let added = 0;
  for (const step of steps) {
    for (; added < step.old; added++) await searching.add(chunks[added]?.text ?? "", added);
    for (const query of queries)
      if (step[query] !== "") seen[query].push(look(step, await searching.find(step[query], asked), chunks));
  }
  searching.close?.();
  return seen;
}

function look({ wanted }: NextStep, found: readonly Found[], chunks: readonly Chunk[]): Seen {
  const whole = [...new Set(found.map(({ from }) => from))].map((from) => chunks[from]?.text ?? "");
  const texts = found.map(({ text }) => text);
  const share = (shown: readonly string[]) =>
    wanted.filter((atom) => shown.some((text) => text.includes(atom))).length / wanted.length;
  return {
    steps: depths.map((depth) => share(whole.slice(0, depth))),
    passages: depths.map((depth) => share(texts.slice(0, depth))),
    tokens: texts.slice(0, 10).reduce((sum, text) => sum + text.length / 4, 0),
  };
}
