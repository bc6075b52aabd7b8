import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { PostgresSource } from "@palimpsest/sql";
import { FileError, MemoryDriver, VirtualFilesystem } from "@palimpsest/vfs";
import type { FileDriver } from "@palimpsest/vfs";
import type { MountSource } from "@palimpsest/vfs/internal";
import { existsSync } from "node:fs";
import { CheckpointError } from "../checkpoint-error.js";
import {
  checkCacheBytes,
  checkCopy,
  checkNames,
  checkParts,
  checkUnfold,
  checkWrapped,
  mustBeAwaited,
} from "./check-arguments.js";
import { copyWholeThread } from "./copies/copy-whole-thread.js";
import { EngineSaver } from "./engine-saver.js";
import type { PruneOptions } from "./engine-saver.js";
import { checkReads } from "../collection/check-reads.js";
import { checkThread, stillStored, type CheckedThread } from "../collection/check-thread.js";
import type { DamagedPart, Engine, OnDamage, PruneResult } from "../engine.js";
import { FileReferences } from "../collection/file-references.js";
import { filesInCheckpoints } from "../collection/reach.js";
import { LibsqlDatabase, type LibsqlOptions } from "../engines/libsql/libsql-database.js";
import { LibsqlDriver } from "../drivers/libsql-driver.js";
import { LibsqlEngine } from "../engines/libsql/libsql-engine.js";
import { openPostgres, type VfsSaverPostgresOptions } from "../engines/postgres/open-postgres.js";
import { PostgresDriver } from "../drivers/postgres-driver.js";
import { PostgresEngine } from "../engines/postgres/postgres-engine.js";
import { checkThreadId, placeOf } from "./place-of.js";
import { readMessages } from "./read-thread.js";
import type { VfsSaverReadOptions } from "./read-thread.js";
import { deleteArchive } from "./thread-archive.js";
import { DriverBlobs } from "../engines/wrapped/driver-blobs.js";
import { SaverEngine } from "../engines/wrapped/saver-engine.js";
import type { DeleteCheckpoints } from "../engines/wrapped/saver-engine.js";

export interface VfsSaverOptions {
  /** Whether to compress values that get smaller by it. @default true */
  readonly compress?: boolean;
  /** Further mounts of `saver.files`, such as `/memories/` over a store. @default {} */
  readonly mounts?: Readonly<Record<string, MountSource>>;
  /**
   * The age, in milliseconds, from which `deleteThread` and `prune` delete the content of a workspace file that no thread
   * references. Keep it above twice the longest time between a tool's write and the checkpoint of its step. @default 3_600_000
   */
  readonly grace?: number;
  /**
   * A secret that the digests of workspace files depend on: savers with different keys share no file contents, so a write
   * reveals nothing about what others stored. Give each tenant a saver with a key of its own. Values inside checkpoints do not
   * depend on it: tenants of one database share equal values. @default contents are shared
   */
  readonly tenantKey?: string | Uint8Array;
  /**
   * A secret of the deployment that the keys of threads are derived from, so that a lost key is there again: see
   * `VirtualFilesystem`. @default keys are random
   */
  readonly sealKey?: string | Uint8Array;
  /**
   * Approximate bytes of memory for the recent checkpoints of all threads. Those of the least recently used threads are dropped
   * first, and cost one read each when their thread continues. @default 33_554_432
   */
  readonly cacheBytes?: number;
  /** An index of the archives, such as a `RecallIndex`: `deleteThread` deletes the thread there as well. @default none */
  readonly index?: ThreadIndex;
}

/** The part of an index that forgets a thread. */
export interface ThreadIndex {
  removeThread(threadId: string): Promise<void>;
}

const optionNames = ["compress", "mounts", "grace", "tenantKey", "sealKey", "cacheBytes", "index"];

const defaultCacheBytes = 32 * 1024 * 1024;

/** Maximum concurrent reads of workspace files: on Postgres, each waits for the server. */
const contentsAtOnce = 8;

export interface WrapOptions extends VfsSaverOptions {
  /** Stores contents and files. Closing the saver does not close it. */
  readonly blobs: FileDriver;
  /**
   * Deletes single checkpoints of the wrapped saver, with their writes, for `prune`: LangGraph's interface has no call for it.
   * @default built in for a MemorySaver; others cannot be pruned
   */
  readonly deleteCheckpoints?: DeleteCheckpoints;
}

export interface PrunedThread extends PruneResult {
  /** How many contents of workspace files were deleted. */
  readonly files: number;
}

/** The parts of a saver. */
export interface VfsSaverParts extends VfsSaverOptions {
  readonly engine: Engine;
  /** Stores `saver.files`. */
  readonly driver: FileDriver;
}

/**
 * A LangGraph checkpointer that stores only what each step adds: messages, large values and pages of lists are stored once,
 * under their digest, and a checkpoint is a small manifest of digests. `files` is a filesystem in the same storage.
 */
export class VfsSaver extends EngineSaver {
  /** The filesystem that nodes, tools and middleware share: the bytes of workspaces, and the archives. */
  readonly files: VirtualFilesystem;

  readonly #references: FileReferences;
  readonly #index: ThreadIndex | undefined;

  constructor(parts: VfsSaverParts) {
    checkParts(parts);
    const { engine, driver, compress = true, mounts = {}, grace = 3_600_000 } = parts;
    const { cacheBytes = defaultCacheBytes, tenantKey, sealKey } = parts;
    const keys = {
      ...(tenantKey === undefined ? {} : { tenantKey }),
      ...(sealKey === undefined ? {} : { sealKey }),
    };
    const files = new VirtualFilesystem({ driver, mounts, renewAfter: grace / 2, ...keys });
    const references = new FileReferences(files, grace);
    super({
      engine,
      compress,
      cacheBytes: checkCacheBytes(cacheBytes),
      referenceFiles: async (threadId, digests) => references.add(threadId, digests),
    });
    this.files = files;
    this.#references = references;
    this.#index = parts.index;
  }

  /** Returns a saver in the memory of this process, which needs no native package. */
  static inMemory(options: VfsSaverOptions = {}): VfsSaver {
    checkNames(options, optionNames);
    return VfsSaver.wrap(new MemorySaver(), { ...options, blobs: new MemoryDriver() });
  }

  /**
   * Returns a saver on one SQLite file, with its files in the same database. Any number of processes may share it.
   * Throws a CheckpointError: "bad-option" without a path, "missing-package" without libsql, "not-a-database", "newer-version",
   * "corrupt", "busy".
   */
  static fromPath(path: string, options: VfsSaverOptions & LibsqlOptions = {}): VfsSaver {
    checkNames(options, [...optionNames, "durability", "busyTimeout", "maxPages", "readOnly"]);
    const database = new LibsqlDatabase(path, options);
    return new VfsSaver({
      ...options,
      engine: new LibsqlEngine(database),
      driver: new LibsqlDriver(database),
    });
  }

  /**
   * Returns a saver that keeps its checkpoints in another saver, and their contents and `saver.files` in `blobs`: a
   * MemoryDriver, a DirectoryDriver, a LibsqlDriver, or any other. Threads of the other saver continue.
   */
  static wrap(saver: BaseCheckpointSaver, given: WrapOptions): VfsSaver {
    checkWrapped(saver, (given as Partial<WrapOptions> | undefined)?.blobs);
    checkNames(given, [...optionNames, "blobs", "deleteCheckpoints"]);
    const { blobs, deleteCheckpoints, ...options } = given;
    const engine = new SaverEngine({
      saver,
      blobs: new DriverBlobs(blobs),
      deleteCheckpoints,
    });
    return new VfsSaver({ ...options, engine, driver: blobs });
  }

  /**
   * Returns a saver on Postgres, with its files in the same database, in tables of its own. `source` is a url, the options of
   * `new pg.Pool`, or an open `pg.Pool`, which `close` leaves open. Needs the package `pg`. Threads of LangGraph's
   * PostgresSaver are not read: wrap that saver. Throws a CheckpointError: "bad-option", "missing-package", "newer-version",
   * "older-version", "busy".
   */
  // oxlint-disable-next-line typescript/promise-function-async -- an async function would return another promise, without the methods of mustBeAwaited
  static fromPostgres(
    source: PostgresSource,
    options: VfsSaverOptions & VfsSaverPostgresOptions = {},
  ): Promise<VfsSaver> {
    return mustBeAwaited(VfsSaver.#openPostgres(source, options));
  }

  static async #openPostgres(
    source: PostgresSource,
    options: VfsSaverOptions & VfsSaverPostgresOptions,
  ): Promise<VfsSaver> {
    checkNames(options, [...optionNames, "connections", "schema"]);
    const postgres = await openPostgres(source, options);
    const [engine, driver] = [new PostgresEngine(postgres), new PostgresDriver(postgres)];
    return new VfsSaver({ ...options, engine, driver });
  }

  /**
   * Deletes a thread from the index, its checkpoints, its archive, and the values and file contents that no other thread
   * references. File contents younger than the grace are deleted by a later `deleteThread` or `prune`.
   */
  override async deleteThread(threadId: string): Promise<void> {
    checkThreadId(threadId);
    await this.#index?.removeThread(threadId);
    const references = await this.#references.of(threadId);
    await super.deleteThread(threadId);
    await deleteArchive(this.files, threadId);
    await this.#references.release(threadId, references);
    await this.#references.endCopy(threadId);
  }

  /**
   * Deletes all but the newest checkpoints of a thread, and the values that only they referenced. Safe while others write.
   * Keeps the ancestors from which a kept delta channel is rebuilt, and file contents younger than the grace.
   * Throws a CheckpointError "bad-option" for a `keepLast` below 1, "unsupported" when the wrapped saver cannot delete single
   * checkpoints, "corrupt" or "missing-blob" when it cannot read what it has to keep: it deletes nothing then.
   */
  override async prune(threadId: string, options: PruneOptions): Promise<PrunedThread> {
    checkThreadId(threadId);
    const references = await this.#references.of(threadId);
    const settled = references.filter((reference) => this.#references.isSettled(reference));
    const pruned = await super.prune(threadId, options);
    const used = await filesInCheckpoints(this.engine, threadId);
    const unused = settled.filter(({ digest }) => !used.has(digest));
    return { ...pruned, files: await this.#references.release(threadId, unused) };
  }

  /**
   * Yields the messages of a thread's newest checkpoint, or of the one in `config`. With `unfold` of `@palimpsest/context`,
   * yields the whole conversation as it happened. Throws a CheckpointError "bad-option" without a thread.
   */
  async *readThread(config: RunnableConfig, options: VfsSaverReadOptions = {}): AsyncGenerator<BaseMessage> {
    placeOf(config);
    checkUnfold(options.unfold);
    const tuple = await this.getTuple(config);
    if (tuple) yield* readMessages({ tuple, files: this.files, saver: this }, options);
  }

  /**
   * Reads every checkpoint of a thread, also as its users do, and every stored value and workspace file once, and compares each
   * with its checksum or digest. Goes on after damage, and reports each damaged part once, at the end. Does not read the archive. Others may write
   * and delete meanwhile. Calls `onProgress` from time to time with the counts so far.
   */
  async verify(
    threadId: string,
    onDamage: OnDamage,
    onProgress?: (checked: CheckedThread) => void,
  ): Promise<CheckedThread> {
    checkThreadId(threadId);
    const damage: DamagedPart[] = [];
    const note = (part: DamagedPart): void => void damage.push(part);
    const { files, ...checked } = await checkThread(this.engine, threadId, { onDamage: note, onProgress });
    let bytes = checked.bytes;
    const contents = [...files];
    for (let at = 0; at < contents.length; at += contentsAtOnce) {
      const some = contents.slice(at, at + contentsAtOnce);
      const read = await Promise.allSettled(some.map(async ([digest]) => this.files.blobs.get(digest)));
      for (const [index, [digest, id]] of some.entries()) {
        const one = read[index];
        if (one?.status === "fulfilled") bytes += one.value.length;
        else if (FileError.isInstance(one?.reason)) note({ threadId, id, digest, error: one.reason });
        else throw one?.reason;
      }
    }
    await checkReads(this.engine, threadId, note);
    for (const part of await stillStored(this.engine, threadId, damage)) onDamage(part);
    return { ...checked, values: checked.values + files.size, bytes };
  }

  /**
   * Compares the indexes of the whole storage with their rows, and the entries of all files with their checksums. Finds nothing
   * where the storage is not a SQLite file.
   */
  async verifyIndexes(onDamage: OnDamage): Promise<void> {
    await this.engine.checkIndexes?.(onDamage);
    const { driver } = this.files;
    if (driver instanceof LibsqlDriver)
      for (const error of await driver.damagedEntries()) onDamage({ threadId: "", error });
  }

  /**
   * Writes a consistent snapshot of the SQLite file at `from` to a new file at `to`. Other processes may write to `from`
   * meanwhile.
   * Throws a CheckpointError "not-found" when there is no database at `from`, "conflict" when there is a file at `to`.
   */
  static backup(from: string, to: string): void {
    if (existsSync(to)) {
      throw new CheckpointError("conflict", `${to} exists. Pass the path of a new file for the copy.`);
    }
    const database = new LibsqlDatabase(from, { readOnly: true });
    try {
      database.copyTo(to);
    } finally {
      database.close();
    }
  }

  /**
   * Copies a thread with its history, archive and key. In a SQLite file the copy shares its contents. The thread may take steps
   * meanwhile. A repeated call continues a copy that did not end, as after a kill; use the copy only when it has ended.
   * Throws a CheckpointError "not-found" when there is nothing to copy, or when the thread is deleted meanwhile; "conflict" when
   * the target exists, or when none of what is copied is left meanwhile: then copy again.
   */
  async copyThread(from: string, to: string): Promise<void> {
    checkCopy(from, to);
    await copyWholeThread({ engine: this.engine, files: this.files, references: this.#references }, from, to);
  }
}
