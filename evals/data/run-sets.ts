import { generateTrajectory } from "./generate-trajectory.js";
import { readTrajectories, sessionFolders } from "./read-trajectories.js";
import type { Trajectory } from "./trajectory.js";

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
export function runSets({ data, quick, more = [] }: RunSetOptions): readonly RunSet[] {
  const seeds = quick ? [1] : [1, 2];
  const generated = {
    name: "generated",
    trajectories: seeds.map((seed) => generateTrajectory({ seed, steps: quick ? 60 : 120 })),
  };
  return data === undefined ? [generated] : [generated, ...sessionSets(data, more)];
}

/**
 * Returns the recorded sessions set by set, without runs of several tasks.
 *
 * @throws Error when the folder holds none.
 */
export function sessionSets(data: string, more: readonly string[] = []): readonly RunSet[] {
  const runs = readTrajectories(data, { sets: [...sessionFolders(data), ...more] }).filter(
    ({ isJoined }) => isJoined !== true,
  );
  const names = [...new Set(runs.map(({ set }) => set))];
  return names.map((name) => ({ name, trajectories: runs.filter(({ set }) => set === name) }));
}
