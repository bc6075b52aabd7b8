import { generateTrajectory } from "./made/generate-trajectory.js";
import { readTrajectories, sessionFolders } from "./read-trajectories.js";
import { stepsOf } from "./steps.js";
import type { Trajectory } from "./trajectory.js";
import { groupsOf } from "../metrics/groups-of.js";

export interface RunSet {
  readonly name: string;
  readonly trajectories: readonly Trajectory[];
}

export interface RunSetOptions {
  /** Folder of recorded runs; without it only generated ones. */
  readonly data: string | undefined;
  readonly quick: boolean;
  /** Recorded sets to read besides the sessions. @default none */
  readonly more?: readonly string[];
}

/** Returns the generated runs and, where there is a folder of them, every recorded set of sessions. */
export async function runSets({ data, quick, more = [] }: RunSetOptions): Promise<readonly RunSet[]> {
  const seeds = quick ? [1] : [1, 2];
  const generated = {
    name: "generated",
    trajectories: seeds.map((seed) => generateTrajectory({ seed, steps: quick ? 60 : 120 })),
  };
  return data === undefined ? [generated] : [generated, ...(await sessionSets(data, more))];
}

/** Returns the recorded sessions set by set, as {@link recordedSets} does. */
export async function sessionSets(data: string, more: readonly string[] = []): Promise<readonly RunSet[]> {
  return recordedSets(data, [...sessionFolders(data), ...more]);
}

/**
 * Returns the recorded runs of some folders set by set, without runs of several tasks and without those in which no call needs
 * anything that came before: they say nothing of what to keep.
 */
export async function recordedSets(data: string, sets: readonly string[]): Promise<readonly RunSet[]> {
  const recorded = await readTrajectories(data, { sets });
  const runs = recorded.filter((run) => run.isJoined !== true && needsEarlier(run));
  return groupsOf(runs, ({ set }) => set).map(([name, trajectories]) => ({ name, trajectories }));
}

function needsEarlier(run: Trajectory): boolean {
  return stepsOf(run).some(({ needed }) => needed.length > 0);
}
