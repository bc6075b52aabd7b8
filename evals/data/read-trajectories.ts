import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { toMessage, type Line } from "./to-message.js";
import type { MessageRecord, RecordedCompaction, Trajectory } from "./trajectory.js";

/** Recorded sets besides the sessions, in the JSON-lines form that `evals/README.md` describes. */
export const dialogueSets = ["tau-bench-airline", "who-and-when"] as const;

export interface ReadOptions {
  /** Most trajectories of each set. @default all */
  readonly limit?: number;
  /** Folders to read; those that are absent are left out. */
  readonly sets: readonly string[];
}

/** Returns the recorded trajectories below a folder. The runs of a folder with several sources are of one set for each source. */
export function readTrajectories(folder: string, options: ReadOptions): readonly Trajectory[] {
  const { limit = Infinity, sets } = options;
  return sets.flatMap((set) => {
    const path = join(folder, set);
    if (!existsSync(path)) return [];
    const files = readdirSync(path).filter((name) => name.endsWith(".jsonl"));
    const runs = files
      .toSorted()
      .slice(0, limit)
      .map((name) => readTrajectory(set, join(path, name)));
    return runs.map(({ source, ...run }) => ({ ...run, set: isOfOneSource(runs) ? set : (source ?? set) }));
  });
}

/** Folders of long sessions of agents with tools below a folder: those whose name ends in "-sessions". */
export function sessionFolders(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith("-sessions"))
    .toSorted();
}

/** A run, and where its first line says that it comes from. */
interface SourcedRun extends Trajectory {
  readonly source: string | undefined;
}

function isOfOneSource(runs: readonly SourcedRun[]): boolean {
  return new Set(runs.map(({ source }) => source)).size < 2;
}

/** A run that is several put one after the other says so in its first line. */
const severalTasks = /one after the other/;

function readTrajectory(set: string, path: string): SourcedRun {
  const [first = "{}", ...rest] = readFileSync(path, "utf8").trim().split("\n");
  const { meta } = parse(first, `${path}, line 1`) as {
    meta?: { readonly set?: string; readonly note?: string };
  };
  const lines = rest.map((line, index) => toLine(line, `${path}, line ${index + 2}`));
  const spoken = lines.filter((line) => line.compaction !== true);
  const messages = spoken.map((line, index) => toMessage(line, `m${index}`));
  const records = new Map(spoken.flatMap((line, index) => recordOf(line, `m${index}`)));
  return {
    set,
    source: meta?.set,
    id: basename(path, ".jsonl"),
    messages,
    records,
    compactions: compactionsOf(lines),
    ...(severalTasks.test(meta?.note ?? "") ? { isJoined: true as const } : {}),
  };
}

const roles = new Set(["system", "user", "assistant", "tool"]);

function toLine(text: string, place: string): Line {
  const line = parse(text, place) as Line;
  if (!roles.has(line?.role) || typeof line.content !== "string")
    throw new Error(
      `${place} is no message: it needs a role of ${[...roles].join(", ")}, and content as text`,
    );
  return line;
}

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${place} is no JSON: ${String(error)}`, { cause: error });
  }
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
