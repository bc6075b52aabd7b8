import { FileError, normalizePath } from "@palimpsest/vfs";
import type {
  ByteRange,
  DriverDeleteOptions,
  DriverEntry,
  DriverWriteOptions,
  FileDriver,
} from "@palimpsest/vfs";
import { pack, unpack } from "../codec/pack.js";
import { retrying, transaction } from "./postgres-pool.js";
import type { Pool, Row } from "./postgres-pool.js";

const chunkSize = 262_144;
const listPage = 256;

/** Keeps files in Postgres, in chunks of 256 KB, so that a range reads only its chunks. */
export class PostgresDriver implements FileDriver {
  readonly name = "postgres";
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
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
    return bytesOf(rows, { path: normal, start: Math.min(from, size), end: Math.min(to, size) });
  }

  async write(
    path: string,
    bytes: Uint8Array,
    { ifAbsent = false }: DriverWriteOptions = {},
  ): Promise<boolean> {
    const normal = normalizePath(path);
    if (normal === "/") throw new FileError("is-directory", "/ is a directory. Name a file below it.");
    return retrying(async () =>
      transaction(this.#pool, async (client) => {
        const { rows } = await client.query(
          ifAbsent
            ? "INSERT INTO palimpsest_files (path, size) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id"
            : `INSERT INTO palimpsest_files (path, size) VALUES ($1, $2)
               ON CONFLICT (path) DO UPDATE SET size = excluded.size, modified = clock_timestamp() RETURNING id`,
          [normal, bytes.length],
        );
        if (!rows[0]) return false;
        const id = String(rows[0]["id"]);
        if (!ifAbsent) await client.query("DELETE FROM palimpsest_chunks WHERE file = $1", [id]);
        for (let start = 0, number = 0; start < bytes.length; start += chunkSize, number++) {
          await client.query("INSERT INTO palimpsest_chunks (file, number, data) VALUES ($1, $2, $3)", [
            id,
            number,
            pack(bytes.subarray(start, start + chunkSize)),
          ]);
        }
        return true;
      }),
    );
  }

  async *list(prefix: string): AsyncIterable<DriverEntry> {
    const normal = normalizePath(prefix);
    const below = normal === "/" ? "/" : `${normal}/`;
    const end = `${below.slice(0, -1)}0`;
    for (let last = below; ;) {
      const { rows } = await this.#query(
        `SELECT path, size, modified FROM palimpsest_files WHERE path > $1 AND path < $2 ORDER BY path LIMIT ${listPage}`,
        [last, end],
      );
      for (const row of rows) yield entryOf(row);
      if (rows.length < listPage) return;
      last = String(rows.at(-1)?.["path"]);
    }
  }

  async delete(path: string, { ifWrittenBy }: DriverDeleteOptions = {}): Promise<boolean> {
    const { rowCount } = await this.#query(
      `DELETE FROM palimpsest_files WHERE path = $1
       AND ($2::timestamptz IS NULL OR date_trunc('milliseconds', modified) <= $2)`,
      [normalizePath(path), ifWrittenBy ?? null],
    );
    return rowCount === 1;
  }

  async #query(text: string, values: unknown[]): ReturnType<Pool["query"]> {
    return retrying(async () => this.#pool.query(text, values));
  }
}

function bytesOf(
  rows: readonly Row[],
  { path, start, end }: { readonly path: string; readonly start: number; readonly end: number },
): Uint8Array {
  const bytes = new Uint8Array(end - start);
  let filled = 0;
  for (const { number, data } of rows) {
    if (number === null) continue;
    const chunk = unpack(data as Buffer);
    const offset = Number(number) * chunkSize;
    const from = Math.max(0, start - offset);
    const part = chunk.subarray(from, Math.max(from, Math.min(chunk.length, end - offset)));
    bytes.set(part, offset + from - start);
    filled += part.length;
  }
  if (filled === bytes.length) return bytes;
  throw new FileError("corrupt", `${path} is damaged: a part of it is missing. Restore it from a copy.`);
}

function entryOf({ path, size, modified }: Row): DriverEntry {
  return { path: String(path), size: Number(size), modifiedAt: (modified as Date).toISOString() };
}
