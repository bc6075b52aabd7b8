import type { Postgres } from "@palimpsest/sql";
import type { EngineSizes, Size } from "../../engine.js";

/** Contents are stored outside of their rows, so that their lengths are known without reading them. */
const rowsSql = `
  SELECT CASE kind WHEN 'b' THEN 'contents' ELSE 'checkpoints' END AS name, count(*) AS rows, sum(octet_length(data)) AS bytes
  FROM palimpsest_entries GROUP BY name`;

const diskSql = `
  SELECT coalesce(sum(pg_total_relation_size(to_regclass(name))), 0) AS bytes FROM unnest(ARRAY[
    'palimpsest_threads', 'palimpsest_entries', 'palimpsest_files', 'palimpsest_chunks'
  ]) AS name`;

/** Counts the rows of a database and their bytes, as they are stored. */
export async function postgresSizes(postgres: Postgres): Promise<EngineSizes> {
  const { rows } = await postgres.query(rowsSql);
  const disk = await postgres.query(diskSql);
  const sizeOf = (kind: string): Size => {
    const row = rows.find(({ name }) => name === kind);
    return { rows: Number(row?.["rows"] ?? 0), bytes: Number(row?.["bytes"] ?? 0) };
  };
  return {
    checkpoints: sizeOf("checkpoints"),
    contents: sizeOf("contents"),
    disk: Number(disk.rows[0]?.["bytes"]),
  };
}
