import { codeOf } from "@palimpsest/sql";
import type { Postgres, PostgresClient, PostgresResult, PostgresRow } from "@palimpsest/sql";
import { normalizePath } from "@palimpsest/vfs";
import type {
  ByteRange,
  DriverDeleteOptions,
  DriverEntry,
  DriverWriteOptions,
  FileDriver,
} from "@palimpsest/vfs";
import { chunksOf, chunkSize, filePath, joinChunks, listBelow, listPage } from "./chunks.js";
import { createFileTables } from "../engines/postgres/schema.js";

/** Postgres' code for a table that does not exist. */
const undefinedTable = "42P01";

const maxChunksPerStatement = 32;

const addChunkSql = "INSERT INTO palimpsest_chunks (file, number, data) VALUES ($1, $2, $3)";
const addChunks = `INSERT INTO palimpsest_chunks (file, number, data)
  SELECT file.id, chunk.* FROM file, unnest($3::int[], $4::bytea[]) AS chunk (number, data)`;
const replaceChunk = "ON CONFLICT (file, number) DO UPDATE SET data = excluded.data";

const createSql = `
  WITH file AS (
    INSERT INTO palimpsest_files (path, size) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id
  ), added AS (${addChunks}) SELECT id FROM file`;

const replaceSql = `
  WITH file AS (
    INSERT INTO palimpsest_files (path, size) VALUES ($1, $2)
    ON CONFLICT (path) DO UPDATE SET size = excluded.size, modified = clock_timestamp() RETURNING id
  ), replaced AS (
    ${addChunks} ${replaceChunk}
  ), removed AS (
    DELETE FROM palimpsest_chunks AS chunk USING file WHERE chunk.file = file.id AND chunk.number >= $5
  ) SELECT id FROM file`;

/** Keeps files in Postgres, in chunks of 256 KB, so that a range reads only its chunks. */
export class PostgresDriver implements FileDriver {
  readonly name = "postgres";
  readonly #postgres: Postgres;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  async stat(path: string): Promise<DriverEntry | undefined> {
    const normal = normalizePath(path);
    const { rows } = await this.#query("SELECT path, size, modified FROM palimpsest_files WHERE path = $1", [
      normal,
    ]);
    return rows[0] && entryOf(rows[0]);
  }

  async read(path: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const normal = normalizePath(path);
    const from = Math.max(0, range?.start ?? 0);
    const to = Math.max(from, Math.min(range?.end ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER));
    const { rows } = await this.#query(
      `SELECT size, number, data FROM palimpsest_files LEFT JOIN palimpsest_chunks
       ON file = id AND number >= $2 AND number < $3 WHERE path = $1 ORDER BY number`,
      [normal, Math.floor(from / chunkSize), Math.min(Math.ceil(to / chunkSize), 2_147_483_647)],
    );
    if (!rows[0]) return undefined;
    const size = Number(rows[0]["size"]);
    const chunks = rows
      .filter(({ number }) => number !== null)
      .map(({ number, data }) => ({ number: Number(number), packed: data as Buffer }));
    return joinChunks(chunks, { path: normal, start: Math.min(from, size), end: Math.min(to, size) });
  }

  async write(
    path: string,
    bytes: Uint8Array,
    { ifAbsent = false }: DriverWriteOptions = {},
  ): Promise<boolean> {
    const normal = filePath(path);
    try {
      return await this.#write(normal, bytes, ifAbsent);
    } catch (error) {
      if (codeOf(error) !== undefinedTable) throw error;
      await createFileTables(this.#postgres);
      return this.#write(normal, bytes, ifAbsent);
    }
  }

  /** Writes a file of up to 8 MB in one statement, a larger one in a transaction. */
  async #write(path: string, bytes: Uint8Array, ifAbsent: boolean): Promise<boolean> {
    const chunks = [...chunksOf(bytes, path)];
    const first = chunks.slice(0, maxChunksPerStatement);
    const write = async (client: PostgresClient): Promise<string | undefined> => {
      const values = [path, bytes.length, first.map((_, number) => number), first];
      const { rows } = await (ifAbsent
        ? client.query(createSql, values)
        : client.query(replaceSql, [...values, chunks.length]));
      return rows[0] && String(rows[0]["id"]);
    };
    if (first.length === chunks.length) return (await write(this.#postgres)) !== undefined;
    return this.#postgres.transaction(async (client) => {
      const id = await write(client);
      if (id === undefined) return false;
      for (let number = first.length; number < chunks.length; number++)
        await client.query(`${addChunkSql} ${replaceChunk}`, [id, number, chunks[number]]);
      return true;
    });
  }

  list(prefix: string): AsyncIterable<DriverEntry> {
    return listBelow(prefix, async (after, before) => {
      const { rows } = await this.#query(
        `SELECT path, size, modified FROM palimpsest_files WHERE path > $1 AND path < $2 ORDER BY path LIMIT ${listPage}`,
        [after, before],
      );
      return rows.map(entryOf);
    });
  }

  async delete(path: string, { ifWrittenBy }: DriverDeleteOptions = {}): Promise<boolean> {
    const { rowCount } = await this.#query(
      `DELETE FROM palimpsest_files WHERE path = $1
       AND ($2::timestamptz IS NULL OR date_trunc('milliseconds', modified) <= $2)`,
      [normalizePath(path), ifWrittenBy ?? null],
    );
    return rowCount === 1;
  }

  /** Finds nothing while no file was ever written: the tables are created with the first one. */
  async #query(text: string, values: unknown[]): Promise<PostgresResult> {
    return this.#postgres.query(text, values).catch((error: unknown) => {
      if (codeOf(error) === undefinedTable) return { rows: [], rowCount: 0 };
      throw error;
    });
  }
}

function entryOf({ path, size, modified }: PostgresRow): DriverEntry {
  return { path: String(path), size: Number(size), modifiedAt: (modified as Date).toISOString() };
}
