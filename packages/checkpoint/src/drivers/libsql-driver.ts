import type { SqliteRow } from "@palimpsest/sql";
import { normalizePath } from "@palimpsest/vfs";
import type {
  ByteRange,
  DriverDeleteOptions,
  DriverEntry,
  DriverWriteOptions,
  FileDriver,
} from "@palimpsest/vfs";
import { chunksOf, chunkSize, filePath, joinChunks, listBelow, listPage } from "./chunks.js";
import type { Chunk } from "./chunks.js";
import { bytesOf, textOf } from "../engines/libsql/columns.js";
import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import type { LibsqlOptions } from "../engines/libsql/libsql-database.js";
import { hasFileTables, createFileTables } from "../engines/libsql/schema.js";

/** Keeps files in a SQLite file, in chunks of 256 KB, so that a range reads only its chunks. Several processes may share it. */
export class LibsqlDriver implements FileDriver {
  readonly name = "libsql";
  readonly #database: LibsqlDatabase;
  #hasTables = false;

  constructor(database: LibsqlDatabase) {
    this.#database = database;
  }

  /** Opens a SQLite file, or creates it. Throws the errors of `VfsSaver.fromPath`. */
  static open(path: string, options: LibsqlOptions = {}): LibsqlDriver {
    return new LibsqlDriver(new LibsqlDatabase(path, options));
  }

  async stat(path: string): Promise<DriverEntry | undefined> {
    const row = this.#find(normalizePath(path));
    return row && entryOf(row);
  }

  async read(path: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const normal = normalizePath(path);
    return this.#database.read(() => {
      const row = this.#find(normal);
      if (!row) return undefined;
      const size = Number(row["size"]);
      const start = Math.min(Math.max(0, range?.start ?? 0), size);
      const end = Math.max(start, Math.min(range?.end ?? size, size));
      const chunks = this.#chunks(Number(row["chunk"]), start, end);
      return joinChunks(chunks, { path: normal, start, end });
    });
  }

  async write(
    path: string,
    bytes: Uint8Array,
    { ifAbsent = false }: DriverWriteOptions = {},
  ): Promise<boolean> {
    const normal = filePath(path);
    if (!this.#isReady()) createFileTables(this.#database);
    return this.#database.write(() => {
      const stored = this.#find(normal);
      if (stored && ifAbsent) return false;
      if (stored) this.#remove(stored);
      const newest = this.#database.get("SELECT max(id) AS id FROM chunks")?.["id"];
      const chunk = Number(newest ?? 0) + 1;
      const row = [normal, bytes.length, Date.now(), chunk];
      this.#database.run("INSERT INTO files (path, size, modified, chunk) VALUES (?, ?, ?, ?)", ...row);
      let id = chunk;
      for (const data of chunksOf(bytes))
        this.#database.run("INSERT INTO chunks (id, data) VALUES (?, ?)", id++, data);
      return true;
    });
  }

  list(prefix: string): AsyncIterable<DriverEntry> {
    return listBelow(prefix, async (after, before) => {
      if (!this.#isReady()) return [];
      const sql = `SELECT path, size, modified FROM files WHERE path > ? AND path < ? ORDER BY path LIMIT ${listPage}`;
      return this.#database.all(sql, after, before).map(entryOf);
    });
  }

  async delete(path: string, { ifWrittenBy }: DriverDeleteOptions = {}): Promise<boolean> {
    const normal = normalizePath(path);
    return this.#database.write(() => {
      const row = this.#find(normal);
      if (!row || (ifWrittenBy !== undefined && entryOf(row).modifiedAt > ifWrittenBy)) return false;
      this.#remove(row);
      return true;
    });
  }

  close(): void {
    this.#database.close();
  }

  /** The process that writes the first file creates the tables. */
  #isReady(): boolean {
    this.#hasTables ||= hasFileTables(this.#database);
    return this.#hasTables;
  }

  #find(path: string): SqliteRow | undefined {
    if (!this.#isReady()) return undefined;
    return this.#database.get("SELECT path, size, modified, chunk FROM files WHERE path = ?", path);
  }

  #remove(row: SqliteRow): void {
    const first = Number(row["chunk"]);
    const end = first + Math.ceil(Number(row["size"]) / chunkSize);
    this.#database.run("DELETE FROM chunks WHERE id >= ? AND id < ?", first, end);
    this.#database.run("DELETE FROM files WHERE path = ?", textOf(row["path"]));
  }

  *#chunks(first: number, start: number, end: number): Generator<Chunk> {
    for (let number = Math.floor(start / chunkSize); number * chunkSize < end; number++) {
      const row = this.#database.get("SELECT data FROM chunks WHERE id = ?", first + number);
      if (row) yield { number, packed: bytesOf(row["data"]) };
    }
  }
}

function entryOf(row: SqliteRow): DriverEntry {
  return {
    path: textOf(row["path"]),
    size: Number(row["size"]),
    modifiedAt: new Date(Number(row["modified"])).toISOString(),
  };
}
