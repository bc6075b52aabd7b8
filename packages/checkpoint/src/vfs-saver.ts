import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { VirtualFilesystem } from "@palimpsest/vfs";
import type { FileDriver } from "@palimpsest/vfs";
import { copyCheckpoints } from "./copy-checkpoints.js";
import { EngineSaver } from "./engine-saver.js";
import type { Engine } from "./engine/engine.js";
import { LibsqlDatabase } from "./libsql/libsql-database.js";
import type { LibsqlOptions } from "./libsql/libsql-database.js";
import { LibsqlDriver } from "./libsql/libsql-driver.js";
import { LibsqlEngine } from "./libsql/libsql-engine.js";
import { openPostgres } from "./postgres/open-postgres.js";
import type { PostgresOptions } from "./postgres/open-postgres.js";
import { PostgresDriver } from "./postgres/postgres-driver.js";
import { PostgresEngine } from "./postgres/postgres-engine.js";
import { readMessages } from "./read-messages.js";
import type { ReadThreadOptions } from "./read-messages.js";
import { copyArchive, deleteArchive } from "./thread-archive.js";
import { DriverBlobs } from "./wrap/driver-blobs.js";
import { SaverEngine } from "./wrap/saver-engine.js";

export interface VfsSaverOptions {
  /** Whether stored values are compressed where that makes them smaller. @default true */
  readonly compress?: boolean;
}

export interface WrapOptions extends VfsSaverOptions {
  /** Where contents and files are kept. Closing the saver leaves it open. */
  readonly blobs: FileDriver;
}

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

  constructor({ engine, driver, compress = true }: VfsSaverParts) {
    super({ engine, compress });
    this.files = new VirtualFilesystem({ driver });
  }

  /** Returns a saver that ends with this process. */
  static inMemory(options: VfsSaverOptions = {}): VfsSaver {
    return VfsSaver.fromPath(":memory:", options);
  }

  /**
   * Returns a saver on one SQLite file, with its files beside the checkpoints. Any number of processes may share it.
   * Throws a CheckpointError: "not-a-database", "newer-version", "corrupt", "busy".
   */
  static fromPath(
    path: string,
    { compress = true, ...options }: VfsSaverOptions & LibsqlOptions = {},
  ): VfsSaver {
    const database = new LibsqlDatabase(path, options);
    return new VfsSaver({ engine: new LibsqlEngine(database), driver: new LibsqlDriver(database), compress });
  }

  /**
   * Returns a saver that keeps its checkpoints in another one and their contents in `blobs`: a MemoryDriver, a
   * DirectoryDriver, a LibsqlDriver, or any other. `saver.files` lives there too. Threads that the other saver has go on.
   */
  static wrap(saver: BaseCheckpointSaver, { blobs, compress = true }: WrapOptions): VfsSaver {
    return new VfsSaver({ engine: new SaverEngine(saver, new DriverBlobs(blobs)), driver: blobs, compress });
  }

  /**
   * Returns a saver on Postgres: LangGraph's own PostgresSaver, and contents and files in tables beside its. Needs the
   * packages `pg` and `@langchain/langgraph-checkpoint-postgres`. Throws a CheckpointError "missing-package", "newer-version".
   */
  static async fromPostgres(
    url: string,
    { compress = true, ...options }: VfsSaverOptions & PostgresOptions = {},
  ): Promise<VfsSaver> {
    const { pool, saver, close } = await openPostgres(url, options);
    const engine = new PostgresEngine({ pool, saver, close });
    return new VfsSaver({ engine, driver: new PostgresDriver(pool), compress });
  }

  /** Deletes a thread: its checkpoints, what no other thread uses of their contents, and its archive. */
  override async deleteThread(threadId: string): Promise<void> {
    await super.deleteThread(threadId);
    await deleteArchive(this.files, threadId);
  }

  /**
   * Yields the messages of a thread, or of one of its checkpoints. With `unfold` of `@palimpsest/context` what was folded away
   * stands in its place again: the whole conversation as it happened.
   */
  async *readThread(config: RunnableConfig, options: ReadThreadOptions = {}): AsyncGenerator<BaseMessage> {
    const tuple = await this.getTuple(config);
    if (tuple) yield* readMessages({ tuple, files: this.files, saver: this }, options);
  }

  /**
   * Copies a thread, its whole history and its archive. Contents are shared where the engine shares them.
   * Throws a CheckpointError "not-found" when there is nothing to copy, "conflict" when the target is taken.
   */
  async copyThread(from: string, to: string): Promise<void> {
    await copyCheckpoints(this.engine, from, to);
    await copyArchive(this.files, from, to);
  }
}
