import { FileError, normalizePath } from "@palimpsest/vfs";
import type {
  ByteRange,
  DriverDeleteOptions,
  DriverEntry,
  DriverWriteOptions,
  FileDriver,
} from "@palimpsest/vfs";
import { pack, unpack } from "../codec/pack.js";
import { bytesOf } from "./bytes-of.js";
import { textOf } from "./text-of.js";
import { LibsqlDatabase } from "./libsql-database.js";
import type { LibsqlOptions, Row } from "./libsql-database.js";
import { hasFileTables, makeFileTables } from "./schema.js";

const chunkSize = 262_144;
const listPage = 256;

/** Keeps files in a SQLite file, in chunks of 256 KB, so that a range reads only its chunks. Safe between processes. */
export class LibsqlDriver implements FileDriver {
  readonly name = "libsql";
  readonly #database: LibsqlDatabase;
  #hasTables = false;

  constructor(database: LibsqlDatabase) {
    this.#database = database;
  }

  /** Opens or makes a file of its own. Throws as `VfsSaver.fromPath` does. */
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
      return this.#bytes(Number(row["chunk"]), { path: normal, start, end });
    });
  }

  async write(
    path: string,
    bytes: Uint8Array,
    { ifAbsent = false }: DriverWriteOptions = {},
  ): Promise<boolean> {
    const normal = normalizePath(path);
    if (normal === "/") throw new FileError("is-directory", "/ is a directory. Name a file below it.");
    if (!this.#isReady()) makeFileTables(this.#database);
    return this.#database.write(() => {
      const there = this.#find(normal);
      if (there && ifAbsent) return false;
      if (there) this.#remove(there);
      const newest = this.#database.get("SELECT max(id) AS id FROM chunks")?.["id"];
      const chunk = Number(newest ?? 0) + 1;
      const row = [normal, bytes.length, Date.now(), chunk];
      this.#database.run("INSERT INTO files (path, size, modified, chunk) VALUES (?, ?, ?, ?)", ...row);
      for (let start = 0, id = chunk; start < bytes.length; start += chunkSize, id++) {
        const data = pack(bytes.subarray(start, start + chunkSize));
        this.#database.run("INSERT INTO chunks (id, data) VALUES (?, ?)", id, data);
      }
      return true;
    });
  }

  async *list(prefix: string): AsyncIterable<DriverEntry> {
    const normal = normalizePath(prefix);
    const below = normal === "/" ? "/" : `${normal}/`;
    const end = `${below.slice(0, -1)}0`;
    if (!this.#isReady()) return;
    for (let last = below; ;) {
      const rows = this.#database.all(
        `SELECT path, size, modified FROM files WHERE path > ? AND path < ? ORDER BY path LIMIT ${listPage}`,
        last,
        end,
      );
      for (const row of rows) yield entryOf(row);
      if (rows.length < listPage) return;
      last = textOf(rows.at(-1)?.["path"]);
    }
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

  /** The tables are made with the first file, by whichever process writes it. */
  #isReady(): boolean {
    this.#hasTables ||= hasFileTables(this.#database);
    return this.#hasTables;
  }

  #find(path: string): Row | undefined {
    if (!this.#isReady()) return undefined;
    return this.#database.get("SELECT path, size, modified, chunk FROM files WHERE path = ?", path);
  }

  #remove(row: Row): void {
    const first = Number(row["chunk"]);
    const end = first + Math.ceil(Number(row["size"]) / chunkSize);
    this.#database.run("DELETE FROM chunks WHERE id >= ? AND id < ?", first, end);
    this.#database.run("DELETE FROM files WHERE path = ?", textOf(row["path"]));
  }

  #bytes(
    first: number,
    { path, start, end }: { readonly path: string; readonly start: number; readonly end: number },
  ): Uint8Array {
    const bytes = new Uint8Array(end - start);
    for (let number = Math.floor(start / chunkSize); number * chunkSize < end; number++) {
      const row = this.#database.get("SELECT data FROM chunks WHERE id = ?", first + number);
      if (!row)
        throw new FileError(
          "corrupt",
          `${path} is damaged: a part of it is missing. Restore it from a copy.`,
        );
      const chunk = unpack(bytesOf(row["data"]));
      const offset = number * chunkSize;
      const from = Math.max(0, start - offset);
      bytes.set(chunk.subarray(from, Math.min(chunk.length, end - offset)), offset + from - start);
    }
    return bytes;
  }
}

function entryOf(row: Row): DriverEntry {
  return {
    path: textOf(row["path"]),
    size: Number(row["size"]),
    modifiedAt: new Date(Number(row["modified"])).toISOString(),
  };
}
