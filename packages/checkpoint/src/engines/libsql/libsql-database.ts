import { statSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, Sqlite } from "@palimpsest/sql";
import { CheckpointError } from "../../checkpoint-error.js";
import { checkExists, checkLog, checkPath } from "../check-path.js";
import { blobColumn, textOf } from "./columns.js";
import { writeCopy } from "./temporary-copies.js";
import { checkSchema, migrate } from "./schema.js";

export interface LibsqlOptions {
  /**
   * What an acknowledged write survives: with "process" the end of the process, even by kill -9; with "power" also a power
   * failure, at the cost of one disk sync for each write. @default "process"
   */
  readonly durability?: "process" | "power";
  /** How long a write waits for other processes, in milliseconds. @default 30_000 */
  readonly busyTimeout?: number;
  /** The most pages of 4 KB that the file may have. Beyond it a write fails as on a full disk. @default no limit */
  readonly maxPages?: number;
  /** Opens an existing file so that nothing changes it: every write fails with "read-only". @default false */
  readonly readOnly?: boolean;
}

/**
 * Bytes of the disk that writes leave free: as much as the log holds, so that it can be moved into the file, and as much again for
 * the log of a deletion, which is about a tenth of what it frees. On a disk without any room nothing could be deleted.
 */
const room = 2 * 4_194_304;
/** Milliseconds in which the room is asked for once: it costs a hundredth of a step. */
const roomEvery = 50;
/** Pages that are given back to the disk in one transaction. Each moves a page, through the log. */
const pagesAtOnce = 512;

/** Pages that stay free until there are more: 256 KB. */
const fewPages = 64;

/** How long one statement of an open database may block the process while another one writes, in milliseconds. */
const blockingTimeout = 5;

/** One SQLite file with the tables of this package. */
export class LibsqlDatabase extends Sqlite {
  readonly #isReadOnly: boolean;
  readonly #maxPages: number | undefined;
  #roomAskedAt = -Infinity;
  /** Why a file that was cut cannot be copied: SQLite takes what is missing of a page for zeros. */
  #cut: CheckpointError | undefined;

  /**
   * Opens the file, or creates it. Blocks the process for at most `busyTimeout` while another process creates or upgrades it.
   * Throws a CheckpointError: "bad-option", "not-a-database", "newer-version", "busy",
   * "corrupt", "conflict".
   */
  constructor(
    path: string,
    { durability = "process", busyTimeout = 30_000, maxPages, readOnly = false }: LibsqlOptions = {},
  ) {
    checkPath(path);
    if (readOnly) checkExists(path);
    else checkLog(path);
    super(path, {
      busyTimeout,
      isReadOnly: readOnly,
      createError: (failure, message, cause) => new CheckpointError(failure, message, { cause }),
    });
    this.#isReadOnly = readOnly;
    this.#maxPages = maxPages === undefined ? undefined : Math.trunc(maxPages);
    try {
      if (readOnly) this.#openToRead();
      else migrate(this);
      this.blockAtMost(blockingTimeout);
      this.exec(`PRAGMA synchronous = ${durability === "power" ? "FULL" : "NORMAL"}`);
      this.exec("PRAGMA journal_size_limit = 4194304");
      this.limitPages();
    } catch (error) {
      super.close();
      throw error;
    }
  }

  /** SQLite refuses a file that was cut, unless its schema may be written: then it gives what its pages hold, and fails at the others. */
  #openToRead(): void {
    this.exec("PRAGMA query_only = ON");
    try {
      checkSchema(this);
    } catch (error) {
      if (!CheckpointError.isInstance(error) || error.code !== "corrupt") throw error;
      if (statSync(this.path).size < Number(this.get("PRAGMA page_size")?.["page_size"])) throw error;
      this.exec("PRAGMA writable_schema = ON");
      checkSchema(this);
      this.#cut = error;
    }
  }

  /** Applies `maxPages`. A file that is larger keeps its size as its limit, so call it again when it has shrunk. */
  limitPages(): void {
    if (this.#maxPages !== undefined) this.exec(`PRAGMA max_page_count = ${this.#maxPages}`);
  }

  /** Runs `work` in one transaction, as {@link Sqlite} does. Fails with "disk-full" while the disk has less than 8 MB free. */
  override write<T>(work: () => T): T {
    return super.write(() => {
      this.#requireRoom();
      return work();
    });
  }

  /** Runs `work`, which frees pages, in one transaction. It may need more than `maxPages` before its end, and the last of the disk. */
  free<T>(work: () => T): T {
    if (this.#maxPages !== undefined) this.exec(`PRAGMA max_page_count = ${2 ** 30}`);
    try {
      return super.write(work);
    } catch (cause) {
      if (!isFull(cause)) throw cause;
      const message =
        `${this.path} cannot be made smaller: the disk has no room for the log of the change. Free a few megabytes and try ` +
        'again, or write a copy to another disk with "palimpsest backup", prune that, and put it in place of this file.';
      throw new CheckpointError("disk-full", message, { cause });
    } finally {
      this.limitPages();
    }
  }

  /**
   * Gives free pages back to the disk, a part at a time: the log of all would be as large as the file. Leaves a few, which the next
   * writes take: giving them back costs a sync. Stops on a full disk.
   */
  shrink(): void {
    const pages = () => Number(this.get("PRAGMA freelist_count")?.["freelist_count"]);
    try {
      if (pages() < fewPages) return;
      for (let free = pages(), before = Infinity; free > 0 && free < before; before = free, free = pages()) {
        this.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`);
        this.get("PRAGMA wal_checkpoint(TRUNCATE)");
      }
    } catch (error) {
      // The pages are free for the next writes all the same.
      if (!isFull(error)) throw error;
    }
    this.limitPages();
  }

  /**
   * Writes the whole file anew, so that neither it nor its log holds the bytes of deleted rows. Needs as much room on the disk as the
   * file has.
   */
  scrub(): void {
    this.exec("VACUUM");
    const log = this.get("PRAGMA wal_checkpoint(TRUNCATE)");
    this.limitPages();
    if (log?.["busy"] === 0) return;
    throw new CheckpointError(
      "busy",
      `Another process reads ${this.path}, so that its log still holds what was deleted. Try again when that has ended.`,
    );
  }

  #requireRoom(): void {
    if (performance.now() - this.#roomAskedAt < roomEvery) return;
    if (freeBytes(dirname(this.path)) < room)
      throw new CheckpointError(
        "disk-full",
        `The disk of ${this.path} has less than 8 MB free, which are left for deletions. Nothing of this write was kept. Free ` +
          "space, or prune or delete threads, and try again.",
      );
    this.#roomAskedAt = performance.now();
  }

  /** Returns what SQLite's own check of pages, rows and indexes finds. */
  faults(): readonly string[] {
    try {
      const rows = this.all(`SELECT ${blobColumn("integrity_check")} FROM pragma_integrity_check(100)`);
      return rows.map((row) => textOf(row["integrity_check"])).filter((text) => text !== "ok");
    } catch (error) {
      if (!CheckpointError.isInstance(error) || error.code !== "corrupt") throw error;
      return [error.message];
    }
  }

  /** Builds every index anew from its rows, unless the rows are damaged too, or two of them have one key. */
  rebuildIndexes(): void {
    try {
      this.exec("REINDEX");
    } catch (error) {
      const isDamaged = CheckpointError.isInstance(error) && error.code === "corrupt";
      if (!isDamaged && !codeOf(error).startsWith("SQLITE_CONSTRAINT")) throw error;
    }
  }

  /**
   * Writes a consistent snapshot of the database to a new file. Other processes may write meanwhile. The copy appears at its
   * path only when it is complete and synced: a copy that fails or is killed leaves nothing there. Deletes beside it what killed
   * processes have left.
   */
  copyTo(path: string): void {
    checkPath(path);
    if (this.#cut) throw this.#cut;
    try {
      // SQLite counts the copy as a write.
      if (this.#isReadOnly) this.exec("PRAGMA query_only = OFF");
      writeCopy(path, (temporary) => void this.run("VACUUM INTO ?", temporary));
    } finally {
      if (this.#isReadOnly) this.exec("PRAGMA query_only = ON");
    }
  }

  /**
   * Ends the write-ahead log, so that one file is left, and closes the file. If the log cannot be ended, as on a full disk, it
   * stays beside the file, and the next process that opens the file continues it. Closing again does nothing.
   */
  override close(): void {
    if (this.isClosed) return;
    try {
      if (!this.#isReadOnly) this.endLog();
    } catch (error) {
      if (!CheckpointError.isInstance(error)) throw error;
    } finally {
      super.close();
    }
  }
}

function isFull(error: unknown): boolean {
  return CheckpointError.isInstance(error) && error.code === "disk-full";
}

/** Returns the bytes that the disk of a directory has left; Infinity where the system does not say. */
function freeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}
