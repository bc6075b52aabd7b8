import { FileError } from "../errors.js";

/** One stored file. */
export interface DriverEntry {
  /** Absolute POSIX path. */
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  /** ISO 8601 time of the last write. */
  readonly modifiedAt: string;
}

/** A span of bytes. `end` is exclusive; both are clamped to the file. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface DriverWriteOptions {
  /** Write only when no file exists at the path. @default false */
  readonly ifAbsent?: boolean;
}

/** A file of a batch. Its name is a digest of its content, or contains one: no other content has this path. */
export interface DriverFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface DriverDeleteOptions {
  /** Delete only a file last written at or before this ISO 8601 time. Check and deletion are one atomic step. */
  readonly ifWrittenBy?: string;
}

/**
 * The storage port: bytes by absolute POSIX path, and nothing else. A directory exists only while it holds a file.
 * Every method normalizes its path and refuses a bad one with a FileError "invalid-path". The store copies the bytes it
 * takes and returns.
 */
export interface FileDriver {
  /** Names the engine in messages, such as "memory". */
  readonly name: string;
  /** The place of the files depends on the run that asks, so that the driver can only be a mount. @default false */
  readonly isPerRun?: boolean;
  /** Returns the entry at a path, or undefined when there is no file. */
  stat(path: string): Promise<DriverEntry | undefined>;
  /** Returns the bytes of a file or of a range of it, or undefined when there is no file. A range never loads the whole file. */
  read(path: string, range?: ByteRange): Promise<Uint8Array | undefined>;
  /**
   * Returns true when the bytes were written. Atomic: a reader sees either all old or all new bytes.
   * With `ifAbsent` an existing file stays and the result is false, between processes as well.
   */
  write(path: string, bytes: Uint8Array, options?: DriverWriteOptions): Promise<boolean>;
  /**
   * Writes each file as `write` with `ifAbsent` does, and is as durable. When it rejects, some may be written. Optional: for
   * engines where many files at once cost less than one by one.
   */
  writeAll?(files: readonly DriverFile[]): Promise<void>;
  /** Returns the bytes at each path in order, as `read` does. Optional, as `writeAll` is. */
  readAll?(paths: readonly string[]): Promise<readonly (Uint8Array | undefined)[]>;
  /** Yields every file below a directory, sorted by path in UTF-8 byte order. `/a` yields neither `/ab` nor `/a` itself. */
  list(prefix: string): AsyncIterable<DriverEntry>;
  /** Yields the paths of `list` in pages, in any order. Optional: for engines that know paths without opening each file. */
  listPaths?(prefix: string): AsyncIterable<readonly string[]>;
  /** Returns true when a file existed and was deleted. */
  delete(path: string, options?: DriverDeleteOptions): Promise<boolean>;
}

/** Returns true when a path is a directory, that is, when a file lies below it. Reads at most one entry. */
export async function hasFilesBelow(driver: FileDriver, path: string): Promise<boolean> {
  for await (const entry of driver.list(path)) return entry.path !== path;
  return false;
}

/** Returns the bytes of a file; undefined if there is none, or if the driver finds its bytes damaged. Throws any other error. */
export async function readIntact(driver: FileDriver, path: string): Promise<Uint8Array | undefined> {
  try {
    return await driver.read(path);
  } catch (error) {
    if (FileError.isInstance(error) && error.code === "corrupt") return undefined;
    throw error;
  }
}

const page = 1_000;

/** Yields every path below a directory in pages, from the driver's `listPaths`, or else from `list`. */
export function pathsOf(driver: FileDriver, prefix: string): AsyncIterable<readonly string[]> {
  return driver.listPaths?.(prefix) ?? pagesOf(driver, prefix);
}

async function* pagesOf(driver: FileDriver, prefix: string): AsyncIterable<readonly string[]> {
  let paths: string[] = [];
  for await (const { path } of driver.list(prefix)) {
    paths.push(path);
    if (paths.length < page) continue;
    yield paths;
    paths = [];
  }
  if (paths.length > 0) yield paths;
}

/** Maximum concurrent calls for a driver without a call for many files. */
const concurrency = 16;

/** Writes every file with the driver's `writeAll`, or else one by one. Rejects with the first failure. */
export async function writeAll(driver: FileDriver, files: readonly DriverFile[]): Promise<void> {
  if (driver.writeAll) return driver.writeAll(files);
  await inBatches(files, async ({ path, bytes }) => driver.write(path, bytes, { ifAbsent: true }));
}

/** Reads every path with the driver's `readAll`, or else one by one. Rejects with the first failure. */
export async function readAll(
  driver: FileDriver,
  paths: readonly string[],
): Promise<readonly (Uint8Array | undefined)[]> {
  return driver.readAll?.(paths) ?? inBatches(paths, async (path) => driver.read(path));
}

async function inBatches<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += concurrency)
    results.push(...(await Promise.all(items.slice(at, at + concurrency).map(call))));
  return results;
}
