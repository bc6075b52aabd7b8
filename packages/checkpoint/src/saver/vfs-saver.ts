import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { PostgresSource } from "@palimpsest/sql";
import { MemoryDriver, VirtualFilesystem } from "@palimpsest/vfs";
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
import { deleteThreads } from "./retention/delete-threads.js";
import { EngineSaver } from "./engine-saver.js";
import type { PrunedThread, PruneOptions } from "./retention/prune-options.js";
import { retainThreads, type RetainedThreads, type RetentionOptions } from "./retention/retain-threads.js";
import { checkContents } from "../collection/check-contents.js";
import { checkReads } from "../collection/check-reads.js";
import { checkThread, stillStored, type CheckedThread } from "../collection/check-thread.js";
import type { DamagedPart, OnDamage, WholeDeletion } from "../engine.js";
import type { EraseOptions, Erasure } from "./erasure/erase-options.js";
import { eraseThreads } from "./erasure/erase-threads.js";
import { FileReferences } from "../collection/file-references.js";
import { filesInCheckpoints } from "../collection/reach.js";
import { LibsqlDatabase, type LibsqlOptions } from "../engines/libsql/libsql-database.js";
import { backupFile } from "../drivers/backup-file.js";
import { LibsqlDriver } from "../drivers/libsql-driver.js";
import { LibsqlEngine } from "../engines/libsql/libsql-engine.js";
import { openPostgres, type VfsSaverPostgresOptions } from "../engines/postgres/open-postgres.js";
import { storageSizes, type StorageSizes } from "../drivers/storage-sizes.js";
import { onPostgres } from "../drivers/on-postgres.js";
import { checkThreadId, placeOf } from "./place-of.js";
import {
  optionNames,
  secretsIn,
  type DeleteOptions,
  type ThreadIndex,
  type VfsSaverOptions,
  type VfsSaverParts,
  type WrapOptions,
} from "./saver-options.js";
import { readMessages } from "./read-thread.js";
import type { VfsSaverReadOptions } from "./read-thread.js";
import { DriverBlobs } from "../engines/wrapped/driver-blobs.js";
import { SaverEngine } from "../engines/wrapped/saver-engine.js";

const defaultCacheBytes = 32 * 1024 * 1024;

/**
 * A LangGraph checkpointer that stores only what each step adds: messages, large values and pages of lists are stored once,
 * under their digest, and a checkpoint is a small manifest of digests. `files` is a filesystem in the same storage.
 */
export class VfsSaver extends EngineSaver {
  /** The filesystem that nodes, tools and middleware share: the bytes of workspaces, and the archives. */
  readonly files: VirtualFilesystem;

  readonly #references: FileReferences;
  readonly #index: ThreadIndex | undefined;
  readonly #deletion: WholeDeletion | undefined;

  constructor(parts: VfsSaverParts) {
    checkParts(parts);
    const { engine, driver, compress = true, mounts = {}, grace = 3_600_000 } = parts;
    const { cacheBytes = defaultCacheBytes } = parts;
    const files = new VirtualFilesystem({ driver, mounts, renewAfter: grace / 2, ...secretsIn(parts) });
    const references = new FileReferences(files, grace);
    super({
      engine,
      compress,
      ring: files.ring,
      cacheBytes: checkCacheBytes(cacheBytes),
      referenceFiles: async (threadId, digests) => references.add(threadId, digests),
    });
    this.files = files;
    this.#references = references;
    this.#index = parts.index;
    this.#deletion = parts.deletion;
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
    checkNames(options, [...optionNames, "connections", "schema", "readOnly"]);
    return new VfsSaver({ ...options, ...onPostgres(await openPostgres(source, options)) });
  }

  /**
   * Deletes a thread from the index, its checkpoints, its archive, and the values and file contents that no other thread
   * references. File contents younger than the grace are deleted by a later `deleteThread` or `prune`.
   */
  override async deleteThread(threadId: string): Promise<void> {
    await this.#delete([threadId], { keepArchive: false });
  }

  /**
   * Deletes threads as `deleteThread` does. On Postgres many with each transaction, which takes some 15 milliseconds. Stops at the
   * first failure; the threads before it are deleted. Safe to repeat. Throws a CheckpointError "bad-option" before it deletes.
   */
  async deleteThreads(threadIds: Iterable<string>): Promise<void> {
    await this.#delete([...threadIds], { keepArchive: false });
  }

  async #delete(
    threadIds: readonly string[],
    { keepArchive, references = this.#references, index = this.#index }: DeleteOptions,
  ): Promise<void> {
    const { files } = this;
    const deletion = this.#deletion;
    const deleteCheckpoints = async (threadId: string): Promise<void> => super.deleteThread(threadId);
    const storage = { files, deletion, deleteCheckpoints, forget: this.codec.forget, references, index };
    await deleteThreads(storage, threadIds, { keepArchive });
  }

  /**
   * Deletes the checkpoints of a thread that the options do not keep, and the values that only they referenced. Safe while others
   * write; the archive stays whole. Keeps the ancestors from which a kept delta channel is rebuilt, and file contents younger than
   * the grace. Throws a CheckpointError "bad-option" for options that keep no checkpoint, "unsupported" when the wrapped saver
   * cannot delete single checkpoints, "corrupt" or "missing-blob" when it cannot read what it has to keep: it deletes nothing then.
   */
  override async prune(threadId: string, options: PruneOptions): Promise<PrunedThread> {
    checkThreadId(threadId);
    if ((options as PruneOptions | undefined)?.dryRun === true)
      return { ...(await super.prune(threadId, options)), files: 0 };
    const settled = await this.#references.settledOf(threadId);
    const pruned = await super.prune(threadId, options);
    const used = await filesInCheckpoints(this.stored, threadId);
    const unused = settled.filter(({ digest }) => !used.has(digest));
    return { ...pruned, files: await this.#references.release(threadId, unused) };
  }

  /**
   * Deletes threads that are idle for long, and prunes the others: for a job that runs every night. Safe while agents write to
   * other threads. Visits the threads in the order of the bytes of their ids, of which it holds a page at a time, and all only around
   * a wrapped saver; `maxThreads` and `after` bound the work of a call. A thread that cannot be read stays, and is named in `failed`.
   * Throws a CheckpointError "bad-option".
   */
  async retain(options: RetentionOptions): Promise<RetainedThreads> {
    const deleteIdle = async (threadIds: readonly string[], given: DeleteOptions) =>
      this.#delete(threadIds, given);
    return retainThreads({ saver: this, engine: this.stored, deleteThreads: deleteIdle }, options);
  }

  /**
   * Erases threads, or a text wherever it stands: in messages, arguments, workspace files, archive, summaries, notes, previews, pictures
   * and the index, and in the free pages of the file. A tombstone with the date and the reason takes its place, and everything else
   * unfolds as before. No agent may run in these threads meanwhile. Safe to repeat, as after a kill. What a provider has encrypted
   * cannot be looked into. Throws a CheckpointError "bad-option".
   */
  async erase(options: EraseOptions): Promise<Erasure> {
    const { engine, files } = this;
    const { index = this.#index } = options;
    const references = new FileReferences(files);
    const deleteThread = async (threadId: string) =>
      this.#delete([threadId], { keepArchive: false, references, index });
    return eraseThreads({ ...this.codec, engine, files, references, index, deleteThread }, options);
  }

  /**
   * Counts what the storage holds, by kind, and what was erased from it: for a dashboard, once in some minutes. Touches no thread.
   * Takes a second or so for each million files and checkpoints, a few milliseconds at a time.
   */
  async sizes(): Promise<StorageSizes> {
    return storageSizes({ engine: this.stored, driver: this.files.driver, index: this.#index });
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
    const { files, ...checked } = await checkThread(this.stored, threadId, { onDamage: note, onProgress });
    const bytes = checked.bytes + (await checkContents(this.files, files, { threadId, onDamage: note }));
    await checkReads(this.stored, threadId, note);
    for (const part of await stillStored(this.stored, threadId, damage)) onDamage(part);
    return { ...checked, values: checked.values + files.size, bytes };
  }

  /**
   * Compares the indexes of the whole storage with their rows, and the entries of all files with their checksums. Finds nothing
   * where the storage is not a SQLite file.
   */
  async verifyIndexes(onDamage: OnDamage): Promise<void> {
    await this.engine.checkIndexes?.(onDamage);
    const { storedDriver } = this.files;
    if (storedDriver instanceof LibsqlDriver)
      for (const error of await storedDriver.damagedEntries()) onDamage({ threadId: "", error });
  }

  /**
   * Writes a consistent snapshot of the SQLite file at `from` to a new file at `to`. Other processes may write to `from`
   * meanwhile.
   * Throws a CheckpointError "not-found" when there is no database at `from`, "conflict" when there is a file at `to`.
   */
  static backup(from: string, to: string): void {
    backupFile(from, to);
  }

  /**
   * Copies a thread with its history, archive and key. In a SQLite file the copy shares its contents. The thread may take steps
   * meanwhile. A repeated call continues a copy that did not end, as after a kill; use the copy only when it has ended.
   * Throws a CheckpointError "not-found" when there is nothing to copy, or when the thread is deleted meanwhile; "conflict" when
   * the target exists, or when none of what is copied is left meanwhile: then copy again.
   */
  async copyThread(from: string, to: string): Promise<void> {
    checkCopy(from, to, this.files.ring);
    await copyWholeThread({ engine: this.engine, files: this.files, references: this.#references }, from, to);
  }
}
