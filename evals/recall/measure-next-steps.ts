import type { Chunk } from "../data/chunks.js";
import type { Trajectory } from "../data/trajectory.js";
import { estimateOf, type Estimate } from "../metrics/estimate.js";
import type { Found, Lane, Searching } from "./lane.js";
import { nextStepsOf, queries, type NextStep, type QueryName } from "./next-steps.js";

export const depths = [5, 10] as const;
/** Hits to request, so that ten different steps are among them. */
const asked = 60;
const seeds = [1, 2, 3, 4, 5];

/** Results of one search with one kind of query. */
export interface NextStepRecall {
  readonly lane: string;
  readonly query: QueryName;
  /** Share of the wanted strings that stand word for word in what the search shows. */
  readonly shown: Estimate | undefined;
  /** The same over the first half of each run's searches, and over the second. */
  readonly halves: readonly (Estimate | undefined)[];
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

/** The most tokens that are shown for a query; Infinity for the whole answer. */
export type Room = Readonly<Record<QueryName, number>>;

/** Everything that a search answers. */
export const wholeAnswer: Room = { ownWords: Infinity, published: Infinity };

/**
 * Returns what a lane finds of the far evidence of each next step, by each kind of query. What it shows is cut at `room`, unless
 * the lane is measured with its whole answer.
 */
export async function measureNextSteps(
  trajectories: readonly Trajectory[],
  lane: Lane,
  room: Room,
): Promise<readonly NextStepRecall[]> {
  const runs: Readonly<Record<QueryName, Seen[]>>[] = [];
  for (const seed of lane.isRandom === true ? seeds : [1])
    for (const trajectory of trajectories)
      runs.push(await playRun(trajectory, lane.start(seed), lane.isWhole === true ? wholeAnswer : room));
  return queries.map((query) =>
    summaryOf(
      lane.name,
      query,
      runs.map((run) => run[query]),
    ),
  );
}

function summaryOf(lane: string, query: QueryName, runs: readonly (readonly Seen[])[]): NextStepRecall {
  const all = runs.flat();
  const shownIn = (part: (run: readonly Seen[]) => readonly Seen[]) =>
    estimateOf(runs.map((run) => part(run).map(({ shown }) => shown)));
  const middle = ({ length }: readonly Seen[]) => Math.ceil(length / 2);
  return {
    lane,
    query,
    shown: shownIn((run) => run),
    halves: [shownIn((run) => run.slice(0, middle(run))), shownIn((run) => run.slice(middle(run)))],
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0) / Math.max(1, all.length),
    steps: depths.map((_, depth) => estimateOf(runs.map((run) => run.map((one) => one.steps[depth] ?? 0)))),
  };
}

/** A chunk can be found once more than ten chunks have come after it. */
async function playRun(
  trajectory: Trajectory,
  searching: Searching,
  room: Room,
): Promise<Record<QueryName, Seen[]>> {
  const { chunks, steps } = nextStepsOf(trajectory);
  const seen: Record<QueryName, Seen[]> = { ownWords: [], published: [] };
  let added = 0;
  for (const step of steps) {
    for (; added < step.old; added++) await searching.add(chunks[added]?.text ?? "", added);
    for (const query of queries) {
      if (step[query] === "") continue;
      const found = await searching.find(step[query], asked);
      const answer = (await searching.answer?.(step[query])) ?? found.map(({ text }) => text).join("\n\n");
      seen[query].push(look(step, stepsOfHits(found, chunks), answer.slice(0, 4 * room[query])));
    }
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
