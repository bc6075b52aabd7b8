import { damagedPart } from "../packed-rows.js";
import type { LibsqlDatabase } from "./libsql-database.js";
import type { SpaceRow } from "./libsql-threads.js";

/** Actual and expected number of checkpoints of a namespace; null when the namespace was deleted. */
export interface Counted {
  readonly found: number;
  readonly expected: number | null;
  /** The epoch of the thread. It changes when checkpoints are deleted. */
  readonly epoch: number;
}

/** Counts the rows of a namespace. Uses one statement, because other processes may add or delete rows between two. */
export function countCheckpoints(database: LibsqlDatabase, { id, threadId, namespace }: SpaceRow): Counted {
  const row = database.get(
    `SELECT (SELECT count(*) FROM checkpoints WHERE space = ?1) AS found,
       (SELECT CAST(checkpoints AS INTEGER) FROM spaces WHERE thread = ?2 AND name = ?3 AND id = ?1) AS expected,
       (SELECT CAST(epoch AS INTEGER) FROM spaces WHERE thread = ?2 AND name = '') AS epoch`,
    id,
    threadId,
    namespace,
  );
  const expected = row?.["expected"] ?? null;
  return {
    found: Number(row?.["found"]),
    expected: expected === null ? null : Number(expected),
    epoch: Number(row?.["epoch"]),
  };
}

/** Returns the error for rows that are missing. Pure. */
export function missingCheckpoints(
  { threadId, namespace }: SpaceRow,
  { found, expected }: Pick<Counted, "found" | "expected">,
): Error {
  const what = `${(expected ?? 0) - found} of ${expected} checkpoints in the namespace "${namespace}"`;
  return damagedPart(what, threadId);
}
