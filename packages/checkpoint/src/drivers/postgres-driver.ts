import type { Postgres, PostgresClient, PostgresRow } from "@palimpsest/sql";
import { normalizePath } from "@palimpsest/vfs";
import type {
  ByteRange,
  DriverDeleteOptions,
  DriverEntry,
  DriverFile,
  DriverWriteOptions,
  FileDriver,
} from "@palimpsest/vfs";
import { chunksOf, chunkSize, filePath, joinChunks, listBelow, listPage } from "./chunks.js";
import type { Chunk } from "./chunks.js";
import { FileTables } from "./file-tables.js";

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

/** Sorted by path, so that two batches with the same files wait for each other instead of deadlocking. */
const createAllSql = `
  WITH file AS (
    INSERT INTO palimpsest_files (path, size) SELECT * FROM unnest($1::text[], $2::bigint[]) AS new (path, size)
    ORDER BY path ON CONFLICT DO NOTHING RETURNING id, path
  ) INSERT INTO palimpsest_chunks (file, number, data)
  SELECT file.id, chunk.number, chunk.data
  FROM unnest($3::text[], $4::int[], $5::bytea[]) AS chunk (path, number, data) JOIN file USING (path)`;

const readAllSql = `
  SELECT path, size, number, data FROM palimpsest_files LEFT JOIN palimpsest_chunks ON file = id
  WHERE path = ANY($1::text[]) ORDER BY path, number`;

const maxFilesPerStatement = 1_000;

/** Keeps files in Postgres, in chunks of 256 KB, so that a range reads only its chunks. */
export class PostgresDriver implements FileDriver {
  readonly name = "postgres";
  readonly #postgres: Postgres;
  /** Those of files. */
  readonly tables: FileTables;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
    this.tables = new FileTables(postgres);
  }

  /** Writes the tables of files anew, so that they do not hold the bytes of deleted files. Their lock makes others wait meanwhile. */
  async scrub(): Promise<void> {
    await this.tables.query("VACUUM FULL palimpsest_files", []);
    await this.tables.query("VACUUM FULL palimpsest_chunks", []);
  }

  async stat(path: string): Promise<DriverEntry | undefined> {
    const normal = normalizePath(path);
    const { rows } = await this.tables.query(
      "SELECT path, size, modified FROM palimpsest_files WHERE path = $1",
      [normal],
    );
    return rows[0] && entryOf(rows[0]);
  }

  async read(path: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const normal = normalizePath(path);
    const from = Math.max(0, range?.start ?? 0);
    const to = Math.max(from, Math.min(range?.end ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER));
    const { rows } = await this.tables.query(
      `SELECT size, number, data FROM palimpsest_files LEFT JOIN palimpsest_chunks
       ON file = id AND number >= $2 AND number < $3 WHERE path = $1 ORDER BY number`,
      [normal, Math.floor(from / chunkSize), Math.min(Math.ceil(to / chunkSize), 2_147_483_647)],
    );
    if (!rows[0]) return undefined;
    const size = Number(rows[0]["size"]);
    return joinChunks(chunksIn(rows), { path: normal, start: Math.min(from, size), end: Math.min(to, size) });
  }

  async readAll(given: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> {
    const paths = given.map((path) => normalizePath(path));
    const found = new Map<string, PostgresRow[]>();
    for (let at = 0; at < paths.length; at += maxFilesPerStatement) {
      const { rows } = await this.tables.query(readAllSql, [paths.slice(at, at + maxFilesPerStatement)]);
      for (const row of rows) {
        const path = String(row["path"]);
        const others = found.get(path);
        if (others) others.push(row);
        else found.set(path, [row]);
      }
    }
    return paths.map((path) => {
      const rows = found.get(path);
      return rows && joinChunks(chunksIn(rows), { path, start: 0, end: Number(rows[0]?.["size"]) });
    });
  }

  async write(
    path: string,
    bytes: Uint8Array,
    { ifAbsent = false }: DriverWriteOptions = {},
  ): Promise<boolean> {
    const normal = filePath(path);
    return this.tables.with(async () => this.#write(normal, bytes, ifAbsent));
  }

  /** Writes up to 8 MB of files in one statement. */
  async writeAll(given: readonly DriverFile[]): Promise<void> {
    const files = new Map<string, Uint8Array>();
    for (const { path, bytes } of given) {
      const normal = filePath(path);
      if (!files.has(normal)) files.set(normal, bytes);
    }
    for (const part of partsOf(files)) await this.tables.with(async () => this.#writePart(part));
  }

  async #writePart(part: readonly DriverFile[]): Promise<void> {
    const [{ path, bytes } = { path: "", bytes: new Uint8Array() }] = part;
    if (part.length === 1) return void (await this.#write(path, bytes, true));
    const chunks = part.flatMap((file) =>
      [...chunksOf(file.bytes, file.path)].map((data, number) => ({ path: file.path, number, data })),
    );
    await this.#postgres.query(createAllSql, [
      part.map((file) => file.path),
      part.map((file) => file.bytes.length),
      chunks.map((chunk) => chunk.path),
      chunks.map((chunk) => chunk.number),
      chunks.map((chunk) => chunk.data),
    ]);
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
      const { rows } = await this.tables.query(
        `SELECT path, size, modified FROM palimpsest_files WHERE path > $1 AND path < $2 ORDER BY path LIMIT ${listPage}`,
        [after, before],
      );
      return rows.map(entryOf);
    });
  }

  async delete(path: string, { ifWrittenBy }: DriverDeleteOptions = {}): Promise<boolean> {
    const { rowCount } = await this.tables.query(
      `DELETE FROM palimpsest_files WHERE path = $1
       AND ($2::timestamptz IS NULL OR date_trunc('milliseconds', modified) <= $2)`,
      [normalizePath(path), ifWrittenBy ?? null],
    );
    return rowCount === 1;
  }
}

/** Returns the chunks in rows of one file. Pure. */
function chunksIn(rows: readonly PostgresRow[]): Chunk[] {
  return rows
    .filter(({ number }) => number !== null)
    .map(({ number, data }) => ({ number: Number(number), packed: data as Buffer }));
}

/** Divides files into those of one statement. A file that has more chunks than a statement takes is alone. Pure. */
function* partsOf(files: ReadonlyMap<string, Uint8Array>): Generator<readonly DriverFile[]> {
  let [part, size]: [DriverFile[], number] = [[], 0];
  for (const [path, bytes] of files) {
    const isFull =
      part.length === maxFilesPerStatement || size + bytes.length > maxChunksPerStatement * chunkSize;
    if (isFull && part.length > 0) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push({ path, bytes });
    size += bytes.length;
  }
  if (part.length > 0) yield part;
}

/** Returns the entry in a row of a file. Pure. */
export function entryOf({ path, size, modified }: PostgresRow): DriverEntry {
  return { path: String(path), size: Number(size), modifiedAt: (modified as Date).toISOString() };
}
