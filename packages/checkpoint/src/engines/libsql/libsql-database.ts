import Database from "libsql";
import { CheckpointError } from "../../checkpoint-error.js";
import { explainSqlite } from "./explain-sqlite.js";
import { migrate } from "./schema.js";

export interface LibsqlOptions {
  /**
   * What an acknowledged write survives: "process" the end of the process, also by kill -9, "power" a power failure too,
   * for one disk sync each. @default "process"
   */
  readonly durability?: "process" | "power";
  /** How long a write waits for other processes, in milliseconds. @default 30_000 */
  readonly busyTimeout?: number;
  /** The most pages of 4 KB that the file may have; beyond it a write fails as on a full disk. @default no limit */
  readonly maxPages?: number;
}

/** What is given to a statement. */
export type Value = string | number | null | Uint8Array;

/** What is in a column. Bytes are a Uint8Array in a single row, and an ArrayBuffer among several. */
export type Column = Value | ArrayBuffer;
export type Row = Readonly<Record<string, Column>>;

type Statement = Database.Statement;

/** One SQLite file with our tables: statements are prepared once, writes are transactions, errors say the way out. */
export class LibsqlDatabase {
  readonly path: string;
  readonly busyTimeout: number;
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Statement>();
  #closed = false;

  /**
   * Opens or makes the file. Throws a CheckpointError: "invalid-config", "not-a-database", "newer-version", "busy",
   * "corrupt".
   */
  constructor(path: string, { durability = "process", busyTimeout = 30_000, maxPages }: LibsqlOptions = {}) {
    checkPath(path);
    this.path = path;
    this.busyTimeout = Math.max(0, Math.trunc(busyTimeout));
    this.#database = this.#guard(() => new Database(path));
    try {
      this.exec(`PRAGMA busy_timeout = ${this.busyTimeout}`);
      migrate(this);
      this.exec(`PRAGMA synchronous = ${durability === "power" ? "FULL" : "NORMAL"}`);
      this.exec("PRAGMA journal_size_limit = 4194304");
      if (maxPages !== undefined) this.exec(`PRAGMA max_page_count = ${Math.trunc(maxPages)}`);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  exec(sql: string): void {
    this.#guard(() => this.#open().exec(sql));
  }

  run(sql: string, ...values: readonly Value[]): { readonly changes: number; readonly id: number } {
    const { changes, lastInsertRowid } = this.#guard(() => this.#prepare(sql).run(values));
    return { changes, id: Number(lastInsertRowid) };
  }

  get(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#guard(() => this.#prepare(sql).get(values)) as Row | undefined;
  }

  all(sql: string, ...values: readonly Value[]): Row[] {
    return this.#guard(() => this.#prepare(sql).all(values)) as Row[];
  }

  /** Returns what `work` does in one transaction that waits for other writers. All of it is kept, or nothing. */
  write<T>(work: () => T): T {
    this.run("BEGIN IMMEDIATE");
    let result: T;
    try {
      result = work();
      this.run("COMMIT");
    } catch (error) {
      this.#rollback();
      throw error;
    }
    return result;
  }

  /** Returns what `work` reads, all of it as of one moment. */
  read<T>(work: () => T): T {
    this.run("BEGIN");
    try {
      return work();
    } finally {
      this.#rollback();
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#endLog();
    this.#closed = true;
    this.#statements.clear();
    this.#database.close();
  }

  /**
   * Moves what is in the log into the file and ends the log, so that one file is left. Closing alone does not: the
   * connection lives until its statements are collected. Where others have the file open, the last of them does it.
   */
  #endLog(): void {
    this.get("PRAGMA wal_checkpoint(TRUNCATE)");
    this.exec("PRAGMA busy_timeout = 0");
    try {
      this.get("PRAGMA journal_mode = DELETE");
    } catch (error) {
      if (!CheckpointError.isInstance(error) || error.code !== "busy") throw error;
    }
  }

  #rollback(): void {
    if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
  }

  #open(): Database.Database {
    if (!this.#closed) return this.#database;
    throw new CheckpointError("closed", `${this.path} was closed. Open a new saver.`);
  }

  #prepare(sql: string): Statement {
    const database = this.#open();
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explainSqlite(error, this.path);
    }
  }
}

/** SQLite takes an empty path for a file that goes when it is closed: an unset variable would lose everything. */
function checkPath(path: unknown): void {
  if (typeof path === "string" && path.trim() !== "") return;
  throw new CheckpointError(
    "invalid-config",
    `The path of a database is ${JSON.stringify(path)}. Give the path of a file, or use VfsSaver.inMemory().`,
  );
}
