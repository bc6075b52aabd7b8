import type { SqliteRow } from "@palimpsest/sql";
import { damagedPart } from "../packed-rows.js";
import { damagedIndex } from "./check-checkpoints.js";
import { blobColumn, fromKey, idOf, isBefore, keyColumn, numberColumn, toKey } from "./columns.js";
import type { LibsqlDatabase } from "./libsql-database.js";
import type { SpaceRow } from "./libsql-threads.js";
import { orNoneIfDamaged } from "./libsql-writes.js";

const pageSize = 32;

export const columns = [keyColumn("id"), keyColumn("parent"), numberColumn("tasks"), blobColumn("data")].join(
  ", ",
);

/**
 * Yields the rows of a namespace, newest first. Reads one page of rows at a time, a small one first, because many callers
 * need one row. Throws at a row in another place: a damaged index gives one row twice, and another never.
 */
export function* rowsOf(database: LibsqlDatabase, space: SpaceRow, before?: string): Iterable<SqliteRow> {
  let last = before === undefined ? undefined : toKey(before);
  let previous: SqliteRow | undefined;
  for (let size = 1; ; size = pageSize) {
    // One condition for both cases could not use the index: each page would scan all rows before it.
    const older = last === undefined ? "" : "AND id < ?";
    const sql = `SELECT ${columns} FROM checkpoints WHERE space = ? ${older} ORDER BY checkpoints.id DESC LIMIT ?`;
    const rows: SqliteRow[] = database.all(sql, space.id, ...(last === undefined ? [] : [last]), size);
    for (const row of rows) {
      if (previous !== undefined && !isBefore(row["id"], previous["id"])) throw damagedIndex(space);
      previous = row;
      yield row;
    }
    const oldest = rows.at(-1);
    if (!oldest || rows.length < size) return;
    last = toKey(idOf(oldest["id"]));
  }
}

/** Returns rows by `seq`; none if a page of the file is damaged. */
export function rowsAt(database: LibsqlDatabase, seqs: readonly number[]): ReadonlyMap<number, SqliteRow> {
  const sql = `SELECT seq, ${columns} FROM checkpoints WHERE seq IN (SELECT value FROM json_each(?))`;
  const rows = orNoneIfDamaged(() => database.all(sql, JSON.stringify(seqs)));
  return new Map(rows.map((row) => [Number(row["seq"]), row]));
}

export function rowAt(database: LibsqlDatabase, { seq, id }: SqliteRow, { threadId }: SpaceRow): SqliteRow {
  const row = database.get(`SELECT ${columns} FROM checkpoints WHERE seq = ?`, Number(seq));
  if (row) return row;
  throw damagedPart(`The row of the checkpoint ${fromKey(id)}`, threadId);
}
