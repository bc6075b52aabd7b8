import type { SqliteRow } from "@palimpsest/sql";
import type { DriverEntry } from "@palimpsest/vfs";
import { checksumOf } from "../codec/packing/checksum.js";
import { blobColumn, bytesOf, numberColumn, textOf } from "../engines/libsql/columns.js";
import type { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { chunkSize, damagedFile } from "./chunks.js";
import type { SmallFile } from "./chunks.js";

const numbers = ["size", "modified", "chunk", "sum"].map(numberColumn).join(", ");
export const columns = `${blobColumn("path")}, ${numbers}`;

/** Includes the bytes of a file with one chunk. An empty file has no chunk, and its chunk number is that of the next file. */
export const withOnlyChunk = `SELECT ${columns}, CASE WHEN size BETWEEN 1 AND ${chunkSize} THEN CAST(data AS BLOB) END AS data
  FROM files LEFT JOIN chunks ON chunks.id = chunk`;

/** Maximum bytes of a file that `readAll` reads together with others, and maximum number of files in one read. */
const smallFile = 16_384;
export const filesPerStatement = 256;

/** Selects small files with one chunk: their bytes, and the positions of their paths in a JSON list. */
const smallFilesSql = `SELECT position, ${numbers},
    CASE WHEN size BETWEEN 1 AND ${smallFile} THEN CAST(data AS BLOB) END AS data
  FROM (SELECT key AS position, value AS wanted FROM json_each(?)) CROSS JOIN files ON files.path = wanted
  LEFT JOIN chunks ON chunks.id = chunk`;

/** Returns the small files among those of these paths, by path. Throws a FileError "corrupt" for an entry that is damaged. */
export function smallFiles(
  database: LibsqlDatabase,
  paths: readonly string[],
): ReadonlyMap<string, SmallFile> {
  const found = new Map<string, SmallFile>();
  for (const row of database.all(smallFilesSql, JSON.stringify(paths))) {
    const path = paths[Number(row["position"])] ?? "";
    const size = Number(checked(row, path)["size"]);
    if (row["data"] !== null) found.set(path, { path, size, packed: bytesOf(row["data"]) });
  }
  return found;
}

/** Throws a FileError "corrupt" for a row whose checksum does not match. */
export function checked(row: SqliteRow, path = textOf(row["path"])): SqliteRow {
  const sum = checksumOf([path, Number(row["size"]), Number(row["modified"]), Number(row["chunk"])]);
  if (row["sum"] === sum) return row;
  throw damagedFile(path, "its entry changed");
}

/** Returns the error of each damaged entry. One whose path has changed may be below no thread, so readers do not meet it. */
export function damagedEntries(database: LibsqlDatabase): readonly Error[] {
  const errors: Error[] = [];
  database.forEach(`SELECT ${columns} FROM files`, (row) => {
    try {
      checked(row);
    } catch (error) {
      errors.push(error as Error);
    }
  });
  return errors;
}

export function entryOf(row: SqliteRow): DriverEntry {
  return {
    path: textOf(row["path"]),
    size: Number(row["size"]),
    modifiedAt: new Date(Number(row["modified"])).toISOString(),
  };
}
