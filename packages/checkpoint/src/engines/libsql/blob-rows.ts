import type { SqliteRow } from "@palimpsest/sql";
import { blobColumn, bytesOf, numberColumn, textOf } from "./columns.js";
import type { LibsqlDatabase } from "./libsql-database.js";

/** Digests of one statement. */
export const maxPerQuery = 256;

/** Bytes of a digest. */
const keySize = 16;

/**
 * Returns the blobs of concatenated digests in one row, concatenated too: a row, or a parameter, for each blob is slower. The
 * cast keeps SQLite from treating the bytes as text.
 */
const joinedBlobs = wantedBlobs(`
  CAST(group_concat(position) AS BLOB) AS positions, CAST(group_concat(length(data)) AS BLOB) AS sizes,
  CAST(group_concat(data, '') AS BLOB) AS data`);

/** Returns a row for each of the concatenated digests that has one. */
const rowsOfBlobs = wantedBlobs(`${numberColumn("position")}, id, ${blobColumn("data")}`);

/** Returns a statement that reads columns of the blobs of concatenated digests. */
function wantedBlobs(columns: string): string {
  return `
    WITH RECURSIVE wanted(position) AS (
      SELECT 0 UNION ALL SELECT position + 1 FROM wanted WHERE position + 1 < length(?1) / ${keySize}
    )
    SELECT ${columns} FROM wanted CROSS JOIN blobs ON digest = substr(?1, 1 + ${keySize} * position, ${keySize})`;
}

/** What the row of a digest holds: a value, or a pointer to a bundle. */
export interface FoundRow {
  readonly digest: string;
  readonly data: Uint8Array;
}

/** Returns digests as concatenated keys. */
function keysOf(digests: readonly string[]): Buffer {
  const keys = Buffer.alloc(digests.length * keySize);
  for (const [index, digest] of digests.entries()) keys.write(digest, index * keySize, "base64url");
  return keys;
}

/** Returns the rows of those blobs that have one. */
export function rowsOf(database: LibsqlDatabase, digests: readonly string[]): ReadonlyMap<string, SqliteRow> {
  const rows = new Map<string, SqliteRow>();
  for (let start = 0; start < digests.length; start += maxPerQuery) {
    const part = digests.slice(start, start + maxPerQuery);
    for (const row of database.all(rowsOfBlobs, keysOf(part)))
      rows.set(part[Number(row["position"])] ?? "", row);
  }
  return rows;
}

/** Returns the content of the rows of digests; undefined for more of them than one SQLite value holds, which is a gigabyte. */
export function contentsAt(
  database: LibsqlDatabase,
  digests: readonly string[],
): readonly FoundRow[] | undefined {
  let row;
  try {
    row = database.get(joinedBlobs, keysOf(digests));
  } catch (error) {
    if (digests.length === 1 || !String(error).includes("too big")) throw error;
    return undefined;
  }
  if (!row || row["positions"] === null) return [];
  const all = bytesOf(row["data"]);
  const sizes = textOf(row["sizes"]).split(",");
  let end = 0;
  return textOf(row["positions"])
    .split(",")
    .map((position, index) => {
      const start = end;
      end += Number(sizes[index]);
      return { digest: digests[Number(position)] ?? "", data: all.subarray(start, end) };
    });
}
