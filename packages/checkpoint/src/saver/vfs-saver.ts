import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { VirtualFilesystem } from "@palimpsest/vfs";
import type { FileDriver } from "@palimpsest/vfs";
import type { MountSource } from "@palimpsest/vfs/internal";
import { copyCheckpoints } from "./copy-checkpoints.js";
import { EngineSaver } from "./engine-saver.js";
import type { PruneOptions } from "./engine-saver.js";
import type { Engine, PruneResult } from "../engine.js";
import { FileReferences } from "../collection/file-references.js";
import { filesInCheckpoints } from "../collection/reach.js";
import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import type { LibsqlOptions } from "../engines/libsql/libsql-database.js";
import { LibsqlDriver } from "../drivers/libsql-driver.js";
import { LibsqlEngine } from "../engines/libsql/libsql-engine.js";
import { openPostgres } from "../engines/postgres/open-postgres.js";
import type { VfsSaverPostgresOptions } from "../engines/postgres/open-postgres.js";
import { PostgresDriver } from "../drivers/postgres-driver.js";
import { PostgresEngine } from "../engines/postgres/postgres-engine.js";
import { readMessages } from "./read-thread.js";
import type { VfsSaverReadOptions } from "./read-thread.js";
import { copyArchive, deleteArchive } from "./thread-archive.js";
import { DriverBlobs } from "../engines/wrapped/driver-blobs.js";
import { SaverEngine } from "../engines/wrapped/saver-engine.js";
import type { DeleteCheckpoints } from "../engines/wrapped/saver-engine.js";

export interface VfsSaverOptions {
  /** Whether stored values are compressed where that makes them smaller. @default true */
  readonly compress?: boolean;
  /** Further mounts of `saver.files`, such as `/memories/` over a store. @default {} */
  readonly mounts?: Readonly<Record<string, MountSource>>;
  /**
   * How old, in milliseconds, the content of a workspace file has to be before `deleteThread` and `prune` delete it: longer
   * than twice the longest time between a tool's write and its step's checkpoint. @default 3_600_000
   */
  readonly grace?: number;
}

export interface WrapOptions extends VfsSaverOptions {
  /** Where contents and files are kept. Closing the saver leaves it open. */
  readonly blobs: FileDriver;
  /**
   * Deletes single checkpoints of the wrapped saver, with their writes, for `prune`. The interface of savers has no way
   * to. @default known for a MemorySaver; others cannot be pruned
   */
  readonly deleteCheckpoints?: DeleteCheckpoints;
}

export interface PrunedThread extends PruneResult {
  /** How many contents of workspace files were deleted. */
  readonly files: number;
}

const anHour = 3_600_000;

/** What a saver is built on. */
export interface VfsSaverParts extends VfsSaverOptions {
  readonly engine: Engine;
  /** Where `saver.files` lives. */
  readonly driver: FileDriver;
}

/**
 * A LangGraph checkpointer in which a step costs what it adds: messages, large values and pages of lists are stored once,
 * under their digest, and a checkpoint is a small manifest of them. `files` is the filesystem beside it.
 */
export class VfsSaver extends EngineSaver {
  /** What nodes, tools and middleware share: the workspaces' bytes and the archives. */
  readonly files: VirtualFilesystem;

  readonly #references: FileReferences;

  constructor({ engine, driver, compress = true, mounts = {}, grace = anHour }: VfsSaverParts) {
    const files = new VirtualFilesystem({ driver, mounts, renewAfter: grace / 2 });
    const references = new FileReferences(files, grace);
    super({
      engine,
      compress,
      referenceFiles: async (threadId, digests) => references.add(threadId, digests),
    });
    this.files = files;
    this.#references = references;
  }

  /** Returns a saver that ends with this process. */
  static inMemory(options: VfsSaverOptions = {}): VfsSaver {
    return VfsSaver.fromPath(":memory:", options);
  }

  /**
   * Returns a saver on one SQLite file, with its files beside the checkpoints. Any number of processes may share it.
   * Throws a CheckpointError: "invalid-config" without a path, "not-a-database", "newer-version", "corrupt", "busy".
   */
  static fromPath(path: string, options: VfsSaverOptions & LibsqlOptions = {}): VfsSaver {
    const database = new LibsqlDatabase(path, options);
    return new VfsSaver({
      ...options,
      engine: new LibsqlEngine(database),
      driver: new LibsqlDriver(database),
    });
  }

  /**
   * Returns a saver that keeps its checkpoints in another one and their contents in `blobs`: a MemoryDriver, a
   * DirectoryDriver, a LibsqlDriver, or any other. `saver.files` lives there too. Threads that the other saver has go on.
   */
  static wrap(saver: BaseCheckpointSaver, { blobs, deleteCheckpoints, ...options }: WrapOptions): VfsSaver {
    const engine = new SaverEngine({
      saver,
      blobs: new DriverBlobs(blobs),
      deleteCheckpoints,
    });
    return new VfsSaver({ ...options, engine, driver: blobs });
  }

  /**
   * Returns a saver on Postgres, with its files beside the checkpoints, in tables of its own. Needs the package `pg`. Threads
   * of LangGraph's PostgresSaver are not read: wrap that saver. Throws a CheckpointError: "missing-package", "newer-version",
   * "older-version", "busy".
   */
  static async fromPostgres(
    url: string,
    options: VfsSaverOptions & VfsSaverPostgresOptions = {},
  ): Promise<VfsSaver> {
    const postgres = await openPostgres(url, options);
    const [engine, driver] = [new PostgresEngine(postgres), new PostgresDriver(postgres)];
    return new VfsSaver({ ...options, engine, driver });
  }

  /**
   * Deletes a thread: its checkpoints, its archive, and what no other thread uses of their contents and its files.
   * Contents of files younger than the grace go with a later deletion or `prune`.
   */
  override async deleteThread(threadId: string): Promise<void> {
    const references = await this.#references.of(threadId);
    await super.deleteThread(threadId);
    await deleteArchive(this.files, threadId);
    await this.#references.release(threadId, references);
  }

  /**
   * Deletes all but the newest checkpoints of a thread and what only they needed, safely while others write. Ancestors that
   * a kept delta channel is rebuilt from stay too, and contents of files that are younger than the grace.
   * Throws a CheckpointError "unsupported" where the wrapped saver cannot.
   */
  override async prune(threadId: string, options: PruneOptions): Promise<PrunedThread> {
    const references = await this.#references.of(threadId);
    const settled = references.filter((reference) => this.#references.isSettled(reference));
    const pruned = await super.prune(threadId, options);
    const used = await filesInCheckpoints(this.engine, threadId);
    const unused = settled.filter(({ digest }) => !used.has(digest));
    return { ...pruned, files: await this.#references.release(threadId, unused) };
  }

  /**
   * Yields the messages of a thread, or of one of its checkpoints. With `unfold` of `@palimpsest/context` what was folded away
   * stands in its place again: the whole conversation as it happened.
   */
  async *readThread(config: RunnableConfig, options: VfsSaverReadOptions = {}): AsyncGenerator<BaseMessage> {
    const tuple = await this.getTuple(config);
    if (tuple) yield* readMessages({ tuple, files: this.files, saver: this }, options);
  }

  /**
   * Copies a thread, its whole history and its archive. Contents are shared where the engine shares them.
   * Throws a CheckpointError "not-found" when there is nothing to copy, "conflict" when the target is taken.
   */
  async copyThread(from: string, to: string): Promise<void> {
    const references = await this.#references.of(from);
    await this.#references.add(
      to,
      references.map(({ digest }) => digest),
    );
    await copyCheckpoints(this.engine, from, to);
    await copyArchive(this.files, from, to);
  }
}
