import { CheckpointError } from "../../checkpoint-error.js";
import type { PrunePolicy, PruneResult } from "../../engine.js";

/** Which checkpoints of a thread to delete. Those that any of these keeps stay. */
export interface PruneOptions {
  /** How many of the newest checkpoints to keep in each namespace, at least 1. @default 1 beside `olderThan`, else it is required */
  readonly keepLast?: number;
  /** Keeps checkpoints from this time on. @default the time keeps none */
  readonly olderThan?: Date;
  /** Keeps checkpoints of runs whose config has one of these values as `metadata.tag`. @default none */
  readonly keepTagged?: readonly string[];
  /** Counts the checkpoints that would be deleted, and deletes nothing. @default false */
  readonly dryRun?: boolean;
}

export interface PrunedThread extends PruneResult {
  /** How many contents of workspace files were deleted. */
  readonly files: number;
}

/** @throws CheckpointError "bad-option" */
export function policyOf(options: PruneOptions | undefined): PrunePolicy {
  const { keepLast, olderThan, keepTagged = [] } = options ?? {};
  const last = keepLast ?? (olderThan === undefined ? 0 : 1);
  if (!Number.isInteger(last) || last < 1)
    throw bad(`keepLast is ${last}`, "Pass { keepLast } with a whole number of at least 1");
  if (!Array.isArray(keepTagged))
    throw bad(`keepTagged is ${JSON.stringify(keepTagged)}`, 'Pass a list of tags, such as ["release"]');
  const since = olderThan === undefined ? undefined : timeOf("olderThan", olderThan);
  return { keepLast: last, since, tags: new Set(keepTagged) };
}

/** Returns the time of an option as checkpoints have it. @throws CheckpointError "bad-option" */
export function timeOf(name: string, date: Date): string {
  if (date instanceof Date && !Number.isNaN(date.getTime())) return date.toISOString();
  throw bad(`${name} is ${String(date)}`, "Pass a Date, such as new Date(Date.now() - 30 * 86_400_000)");
}

function bad(what: string, way: string): CheckpointError {
  return new CheckpointError("bad-option", `${what}. ${way}.`);
}
