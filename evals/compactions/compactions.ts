import { rawFolders, readTrajectories, sessionFolders } from "../data/read-trajectories.js";
import type { Trajectory } from "../data/trajectory.js";
import type { Suite } from "../suite.js";
import { measureCompaction, type MeasuredCompaction } from "./measure-compaction.js";
import { madeSession } from "./made-session.js";
import { compactionsOf } from "./played-compaction.js";
import { reportCompactions } from "./report-compactions.js";
import { groupsOf } from "../metrics/groups-of.js";

/** Looks at each recorded compaction: what its summary kept, what the agent did again, and what of that ours would have spared. */
export const compactions: Suite = async ({ data, quick = false, progress }) => {
  const made = Array.from({ length: quick ? 4 : 12 }, (_, at) => madeSession(at + 10));
  const runs = data === undefined ? made : [...made, ...(await recordedRuns(data))];
  const all = groupsOf(runs, ({ set }) => set).flatMap(([, own]) => compactionsOf(own));
  const measured: MeasuredCompaction[] = [];
  for (const [at, one] of all.entries()) {
    progress(`${at}/${all.length} ${one.set} ${one.session}`);
    measured.push(await measureCompaction(one));
  }
  return reportCompactions(measured);
};

async function recordedRuns(data: string): Promise<readonly Trajectory[]> {
  const runs = await readTrajectories(data, { sets: [...rawFolders(data), ...sessionFolders(data)] });
  return runs.filter(({ isJoined }) => isJoined !== true);
}
