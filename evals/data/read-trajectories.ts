import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { toMessage, type Line } from "./to-message.js";
import type { MessageRecord, RecordedCompaction, Trajectory } from "./trajectory.js";

/** Sets of tool-using agents, in the JSON-lines form that `evals/README.md` describes. */
export const trajectorySets = [
  "claude-code-sessions",
  "pi-sessions",
  "tau-bench-airline",
  "who-and-when",
] as const;

export interface ReadOptions {
  /** Most trajectories of each set. @default all */
  readonly limit?: number;
  /** @default trajectorySets */
  readonly sets?: readonly string[];
}

/**
 * Returns the recorded trajectories below a folder.
 *
 * @throws Error when the folder holds none: an eval without cases must not pass.
 */
export function readTrajectories(folder: string, options: ReadOptions = {}): readonly Trajectory[] {
  const { limit = Infinity, sets = trajectorySets } = options;
  const found = sets.flatMap((set) => {
    const path = join(folder, set);
    if (!existsSync(path)) return [];
    const files = readdirSync(path).filter((name) => name.endsWith(".jsonl"));
    return files
      .toSorted()
      .slice(0, limit)
      .map((name) => readTrajectory(set, join(path, name)));
  });
  if (found.length > 0) return found;
  throw new Error(`${folder} holds no trajectory: it needs ${sets.join(", ")} (see evals/README.md)`);
}

function readTrajectory(set: string, path: string): Trajectory {
  const lines = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line) as Line);
  const spoken = lines.filter((line) => line.compaction !== true);
  const messages = spoken.map((line, index) => toMessage(line, `m${index}`));
  const records = new Map(spoken.flatMap((line, index) => recordOf(line, `m${index}`)));
  return { set, id: basename(path, ".jsonl"), messages, records, compactions: compactionsOf(lines) };
}

function recordOf(line: Line, id: string): readonly [string, MessageRecord][] {
  const record: MessageRecord = {
    ...(typeof line.usage_in === "number" ? { inputTokens: line.usage_in } : {}),
    ...(line.thinking === undefined || line.thinking === null ? {} : { thinking: line.thinking }),
    ...(line.is_meta === true ? { isMeta: true as const } : {}),
  };
  return Object.keys(record).length === 0 ? [] : [[id, record]];
}

function compactionsOf(lines: readonly Line[]): readonly RecordedCompaction[] {
  let before = 0;
  return lines.flatMap((line) => {
    if (line.compaction !== true) {
      before++;
      return [];
    }
    const { content, pre_tokens: tokens } = line;
    return [{ before, summary: content, ...(typeof tokens === "number" ? { tokensBefore: tokens } : {}) }];
  });
}
