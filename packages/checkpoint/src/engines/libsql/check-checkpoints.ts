import { damagedPart } from "../packed-rows.js";
import { toKey } from "./columns.js";
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

/**
 * Throws if the row of an id that was not found is there: the index has another id for it, or a damaged entry on the way to it.
 */
export function requireMissing(database: LibsqlDatabase, space: SpaceRow, id: string): void {
  const sql = `SELECT 1 AS found FROM checkpoints AS entry INDEXED BY checkpoints_by_id
    CROSS JOIN checkpoints AS stored ON stored.seq = entry.seq WHERE entry.space = ? AND stored.id = ? LIMIT 1`;
  if (database.get(sql, space.id, toKey(id))) throw damagedIndex(space);
}

export function damagedIndex({ threadId, namespace }: SpaceRow): Error {
  return damagedPart(`The index of the checkpoints in the namespace "${namespace}"`, threadId);
}
