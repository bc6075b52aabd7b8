import { generateTrajectory } from "./generate-trajectory.js";
import { readTrajectories } from "./read-trajectories.js";
import type { Trajectory } from "./trajectory.js";

export interface RunSet {
  readonly name: string;
  readonly trajectories: readonly Trajectory[];
}

export interface RunSetOptions {
  /** Folder of recorded runs; without it only generated ones. */
  readonly data: string | undefined;
  readonly quick: boolean;
  /** Recorded sets to read. */
  readonly sets: readonly string[];
  /** Most runs of a recorded set. @default all */
  readonly limit?: number;
}

/** Returns the generated runs and, where there is a folder of them, the recorded ones, set by set. */
export function runSets({ data, quick, sets, limit = Infinity }: RunSetOptions): readonly RunSet[] {
  const seeds = quick ? [1] : [1, 2, 3];
  const generated = {
    name: "generated",
    trajectories: seeds.map((seed) => generateTrajectory({ seed, steps: quick ? 60 : 120 })),
  };
  if (data === undefined) return [generated];
  const recorded = sets.map((name) => ({
    name,
    trajectories: readTrajectories(data, { sets: [name], limit }),
  }));
  return [generated, ...recorded];
}
