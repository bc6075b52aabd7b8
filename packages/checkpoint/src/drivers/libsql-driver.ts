import { setImmediate as nextTurn } from "node:timers/promises";
import type { SqliteRow } from "@palimpsest/sql";
import { normalizePath } from "@palimpsest/vfs";
import type {
  ByteRange,
  DriverDeleteOptions,
  DriverEntry,
  DriverFile,
  DriverWriteOptions,
  FileDriver,
} from "@palimpsest/vfs";
import { checksumOf } from "../codec/packing/checksum.js";
import {
  chunksOf,
  chunkSize,
  filePath,
  joinChunks,
  boundsOf,
  listBelow,
  listPage,
  unpackChunks,
} from "./chunks.js";
import type { Chunk } from "./chunks.js";
import {
  checked,
  columns,
  damagedEntries,
  entryOf,
  filesPerStatement,
  smallFiles,
  withOnlyChunk,
} from "./libsql-files.js";
import { CheckpointError } from "../checkpoint-error.js";
import { blobColumn, bytesOf, textOf } from "../engines/libsql/columns.js";
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

  /** Writes the SQLite file anew, so that it does not hold the bytes of deleted files. */
  async scrub(): Promise<void> {
    await this.#database.whenFree(() => this.#database.scrub());
  }

  async stat(path: string): Promise<DriverEntry | undefined> {
    const row = await this.#database.whenFree(() => this.#find(normalizePath(path)));
    return row && entryOf(row);
  }

  async read(path: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const normal = normalizePath(path);
    return this.#database.whenFree(() => this.#read(normal, range));
  }

  /** Reads small files together, and inflates them as one stream. */
  async readAll(given: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> {
    const paths = given.map(normalizePath);
    const files: (Uint8Array | undefined)[] = [];
    for (let at = 0; at < paths.length; at += filesPerStatement)
      files.push(...(await this.#readSome(paths.slice(at, at + filesPerStatement))));
    return files;
  }

  async #readSome(paths: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> {
    if (!(await this.#database.whenFree(() => this.#isReady()))) return paths.map(() => undefined);
    const small = await this.#database.whenFree(() => smallFiles(this.#database, paths));
    const unpacked = await unpackChunks([...small.values()]);
    const files = new Map([...small.keys()].map((path, index) => [path, unpacked[index]]));
    const all: (Uint8Array | undefined)[] = [];
    for (const path of paths) all.push(files.get(path) ?? (await this.read(path)));
    return all;
  }

  /** Reads a file of one chunk, like most files, with one statement, and a larger one in a transaction. */
  #read(path: string, range: ByteRange | undefined): Uint8Array | undefined {
    const row = this.#find(path, withOnlyChunk);
    if (row === undefined) return undefined;
    if (Number(row["size"]) <= chunkSize) return this.#join(row, path, range);
    return this.#database.read(() => {
      const current = this.#find(path, withOnlyChunk);
      return current && this.#join(current, path, range);
    });
  }

  #join(row: SqliteRow, path: string, range: ByteRange | undefined): Uint8Array {
    const size = Number(row["size"]);
    const start = Math.min(Math.max(0, range?.start ?? 0), size);
    const end = Math.max(start, Math.min(range?.end ?? size, size));
    const chunks = size <= chunkSize ? onlyChunk(row) : this.#chunks(Number(row["chunk"]), start, end);
    return joinChunks(chunks, { path, start, end });
  }

  async write(
    path: string,
    bytes: Uint8Array,
    { ifAbsent = false }: DriverWriteOptions = {},
  ): Promise<boolean> {
    const normal = filePath(path);
    await this.#makeReady();
    const write = (): boolean => this.#write(normal, bytes, ifAbsent);
    return this.#database.whenFree(() => this.#database.write(write));
  }

  /** Writes about one chunk in each transaction, so that other work runs in between. */
  async writeAll(given: readonly DriverFile[]): Promise<void> {
    const files = given.map(({ path, bytes }) => ({ path: filePath(path), bytes }));
    await this.#makeReady();
    for (let at = 0; at < files.length;) {
      const write = (): number => {
        let [end, size] = [at, 0];
        for (; end < files.length && size < chunkSize; end++) {
          const { path = "", bytes = new Uint8Array() } = files[end] ?? {};
          this.#write(path, bytes, true);
          size += bytes.length;
        }
        return end;
      };
      at = await this.#database.whenFree(() => this.#database.write(write));
      await nextTurn();
    }
  }

  list(prefix: string): AsyncIterable<DriverEntry> {
    return listBelow(prefix, async (after, before) => {
      if (!(await this.#database.whenFree(() => this.#isReady()))) return [];
      const sql = `SELECT ${columns} FROM files WHERE path > ? AND path < ? ORDER BY files.path LIMIT ${listPage}`;
      const rows = await this.#database.whenFree(() => this.#database.all(sql, after, before));
      return rows.map((row) => entryOf(checked(row)));
    });
  }

  /** Reads only the paths, so that a damaged entry does not end the list. */
  async *listPaths(prefix: string): AsyncIterable<readonly string[]> {
    const sql = `SELECT ${blobColumn("path")} FROM files WHERE path > ? AND path < ? ORDER BY files.path`;
    if (!(await this.#database.whenFree(() => this.#isReady()))) return;
    const rows = await this.#database.whenFree(() => this.#database.all(sql, ...boundsOf(prefix)));
    if (rows.length > 0) yield rows.map((row) => textOf(row["path"]));
  }

  /** Returns the errors of all damaged entries, also of those that no thread meets. */
  async damagedEntries(): Promise<readonly Error[]> {
    try {
      return await this.#database.whenFree(() => (this.#isReady() ? damagedEntries(this.#database) : []));
    } catch (error) {
      if (CheckpointError.isInstance(error) && error.code === "corrupt") return [error];
      throw error;
    }
  }

  async delete(path: string, { ifWrittenBy }: DriverDeleteOptions = {}): Promise<boolean> {
    const normal = normalizePath(path);
    const remove = (): boolean => {
      const row = this.#find(normal);
      if (!row || (ifWrittenBy !== undefined && entryOf(row).modifiedAt > ifWrittenBy)) return false;
      this.#remove(row);
      return true;
    };
    return this.#database.whenFree(() => this.#database.free(remove));
  }

  close(): void {
    this.#database.close();
  }

  /** Returns whether the tables exist: the process that writes the first file creates them. */
  #isReady(): boolean {
    this.#hasTables ||= hasFileTables(this.#database);
    return this.#hasTables;
  }

  async #makeReady(): Promise<void> {
    if (await this.#database.whenFree(() => this.#isReady())) return;
    await this.#database.whenFree(() => createFileTables(this.#database));
  }

  #write(path: string, bytes: Uint8Array, ifAbsent: boolean): boolean {
    const stored = this.#find(path);
    if (stored && ifAbsent) return false;
    if (stored) this.#remove(stored);
    const newest = this.#database.get("SELECT max(id) AS id FROM chunks")?.["id"];
    const chunk = Number(newest ?? 0) + 1;
    const row = [path, bytes.length, Date.now(), chunk] as const;
    const sql = "INSERT INTO files (path, size, modified, chunk, sum) VALUES (?, ?, ?, ?, ?)";
    this.#database.run(sql, ...row, checksumOf(row));
    let id = chunk;
    for (const data of chunksOf(bytes, path))
      this.#database.run("INSERT INTO chunks (id, data) VALUES (?, ?)", id++, data);
    return true;
  }

  #find(path: string, select = `SELECT ${columns} FROM files`): SqliteRow | undefined {
    if (!this.#isReady()) return undefined;
    const row = this.#database.get(`${select} WHERE path = ?`, path);
    return row && checked(row);
  }

  #remove(row: SqliteRow): void {
    const first = Number(row["chunk"]);
    const end = first + Math.ceil(Number(row["size"]) / chunkSize);
    this.#database.run("DELETE FROM chunks WHERE id >= ? AND id < ?", first, end);
    this.#database.run("DELETE FROM files WHERE path = ?", textOf(row["path"]));
  }

  *#chunks(first: number, start: number, end: number): Generator<Chunk> {
    for (let number = Math.floor(start / chunkSize); number * chunkSize < end; number++) {
      const row = this.#database.get(`SELECT ${blobColumn("data")} FROM chunks WHERE id = ?`, first + number);
      if (row) yield { number, packed: bytesOf(row["data"]) };
    }
  }
}

function onlyChunk(row: SqliteRow): readonly Chunk[] {
  return row["data"] === null ? [] : [{ number: 0, packed: bytesOf(row["data"]) }];
}
