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
  /** Leave a file that is already there untouched. @default false */
  readonly ifAbsent?: boolean;
}

export interface DriverDeleteOptions {
  /** Only a file that was last written at or before this ISO 8601 time, checked in one step with the deletion. */
  readonly ifWrittenBy?: string;
}

/**
 * The storage port: bytes by absolute POSIX path, and nothing else. Directories exist only through the files in them.
 * Every method refuses a bad path with a FileError "invalid-path". Bytes handed in or out are never shared with the store.
 */
export interface FileDriver {
  /** Names the engine in messages, such as "memory". */
  readonly name: string;
  /** The entry at a path, or undefined when no file is there. */
  stat(path: string): Promise<DriverEntry | undefined>;
  /** The bytes of a file or of a range of it, or undefined when no file is there. A range never loads the whole file. */
  read(path: string, range?: ByteRange): Promise<Uint8Array | undefined>;
  /**
   * True when the bytes were written. Atomic: a reader sees the old or the new bytes, whole.
   * With `ifAbsent` a file that is there stays and the answer is false, also between processes.
   */
  write(path: string, bytes: Uint8Array, options?: DriverWriteOptions): Promise<boolean>;
  /** Every file below a directory, sorted by path in UTF-8 byte order. `/a` never yields `/ab`, nor `/a` itself. */
  list(prefix: string): AsyncIterable<DriverEntry>;
  /** The paths that `list` gives, in pages and in any order: for engines that need not look at each file for them. */
  listPaths?(prefix: string): AsyncIterable<readonly string[]>;
  /** True when a file was there and is gone. */
  delete(path: string, options?: DriverDeleteOptions): Promise<boolean>;
}

/** Returns true when a path is a directory: some file lies below it. Reads at most one entry. */
export async function hasFilesBelow(driver: FileDriver, path: string): Promise<boolean> {
  for await (const entry of driver.list(path)) return entry.path !== path;
  return false;
}

const page = 1_000;

/** Every path below a directory, in pages: as the engine gives them, or else from its list of files. */
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
