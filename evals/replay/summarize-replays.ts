import type { ReplayResult } from "./replay-trajectory.js";
import { groupsOf } from "../metrics/groups-of.js";
import { sumOf } from "../metrics/sum-of.js";

const counts = [
  "prompts",
  "threadTokens",
  "promptsOver",
  "promptsOverUnreported",
  "illegal",
  "promptsWithoutGoal",
  "brokenPointers",
] as const;
type Count = (typeof counts)[number];

export interface ReplayRow extends Pick<ReplayResult, "set" | "peakPromptTokens" | "folds" | Count> {
  readonly runs: number;
  /** Runs of which every message came back byte for byte. */
  readonly intact: number;
}

/** Returns one row for each set of runs. */
export function summarizeReplays(results: readonly ReplayResult[]): readonly ReplayRow[] {
  return groupsOf(results, (result) => result.set).map(([set, runs]) => {
    const sum = (field: Count) => sumOf(runs, (run) => run[field]);
    return {
      set,
      runs: runs.length,
      intact: runs.filter((run) => run.intact).length,
      peakPromptTokens: Math.max(...runs.map((run) => run.peakPromptTokens)),
      folds: addFolds(runs),
      ...(Object.fromEntries(counts.map((field) => [field, sum(field)])) as Record<Count, number>),
    };
  });
}

function addFolds(runs: readonly ReplayResult[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const run of runs) {
    for (const [kind, count] of Object.entries(run.folds)) total[kind] = (total[kind] ?? 0) + count;
  }
  return total;
}
