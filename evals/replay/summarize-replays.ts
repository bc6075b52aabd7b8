import type { ReplayResult } from "./replay-trajectory.js";

export interface ReplayRow {
  readonly set: string;
  readonly runs: number;
  /** Runs of which every message came back byte for byte. */
  readonly intact: number;
  readonly prompts: number;
  readonly threadTokens: number;
  readonly peakPromptTokens: number;
  readonly promptsOver: number;
  readonly promptsOverUnreported: number;
  readonly folds: Readonly<Record<string, number>>;
  readonly illegal: number;
  readonly promptsWithoutGoal: number;
  readonly brokenPointers: number;
}

type Count =
  | "prompts"
  | "threadTokens"
  | "promptsOver"
  | "promptsOverUnreported"
  | "illegal"
  | "promptsWithoutGoal"
  | "brokenPointers";

/** Returns one row for each set of runs. */
export function summarizeReplays(results: readonly ReplayResult[]): readonly ReplayRow[] {
  const sets = [...new Set(results.map(({ set }) => set))];
  return sets.map((set) => {
    const runs = results.filter((result) => result.set === set);
    const sum = (field: Count) => runs.reduce((total, run) => total + run[field], 0);
    return {
      set,
      runs: runs.length,
      intact: runs.filter((run) => run.intact).length,
      prompts: sum("prompts"),
      threadTokens: sum("threadTokens"),
      peakPromptTokens: Math.max(...runs.map((run) => run.peakPromptTokens)),
      promptsOver: sum("promptsOver"),
      promptsOverUnreported: sum("promptsOverUnreported"),
      folds: addFolds(runs),
      illegal: sum("illegal"),
      promptsWithoutGoal: sum("promptsWithoutGoal"),
      brokenPointers: sum("brokenPointers"),
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
