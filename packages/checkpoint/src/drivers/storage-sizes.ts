import type { FileDriver } from "@palimpsest/vfs";
import { scopesDirectory, threadsDirectory } from "@palimpsest/vfs/internal";
import { erasureTotals, type ErasureTotals } from "../collection/erasure-log.js";
import type { Engine, FileSizes, Size } from "../engine.js";

/** The first directory of the contents of a wrapped saver. */
const contentsDirectory = "/checkpoints";

/** What a storage holds, by kind. */
export interface StorageSizes {
  /** Checkpoints and pending writes, as they are stored. Absent with a wrapped saver, which does not tell. */
  readonly checkpoints?: Size;
  /** Messages, large values and pages of lists, each once, as they are stored. */
  readonly contents: Size;
  /** Archives, notes, turns and keys of threads, before compression. */
  readonly archive: Size;
  /** Contents of workspace files and what belongs to no thread, before compression. */
  readonly files: Size;
  /** Passages of the index of the saver, and all bytes of the index. Absent without one that tells. */
  readonly index?: Size;
  /** Bytes of the file or of the tables, with indexes and free space, and without the index. Absent with a wrapped saver. */
  readonly disk?: number;
  /** What was erased so far. */
  readonly erased: ErasureTotals;
}

export interface MeasuredStorage {
  readonly engine: Pick<Engine, "sizes">;
  readonly driver: FileDriver;
  readonly index: { size?(): Promise<Size> } | undefined;
}

/** Counts everything in a storage. Reads a list of all its files, a page at a time. */
export async function storageSizes({ engine, driver, index }: MeasuredStorage): Promise<StorageSizes> {
  const [stored, passages] = [await engine.sizes?.(), await index?.size?.()];
  return {
    ...(await fileSizes(driver)),
    ...stored,
    ...(passages === undefined ? {} : { index: passages }),
    erased: await erasureTotals(driver),
  };
}

/** Counts the files of a storage by what they are, and their bytes before compression. */
async function fileSizes(driver: FileDriver): Promise<FileSizes> {
  const sizes = {
    contents: { rows: 0, bytes: 0 },
    archive: { rows: 0, bytes: 0 },
    files: { rows: 0, bytes: 0 },
  };
  for await (const { path, size } of driver.list("/")) {
    const own = sizes[kindOf(path)];
    own.rows += 1;
    own.bytes += size;
  }
  return sizes;
}

function kindOf(path: string): keyof FileSizes {
  const directory = path.slice(0, path.indexOf("/", 1));
  if (directory === contentsDirectory) return "contents";
  return directory === threadsDirectory || directory === scopesDirectory ? "archive" : "files";
}
