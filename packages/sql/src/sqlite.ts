import type Database from "libsql";
import { collectClosed } from "./collect-closed.js";
import { explanationOf, failureOf } from "./explain-failure.js";
import { pathToFileURL } from "node:url";
import { loadLibsql } from "./load-libsql.js";
import type { CreateError } from "./sql-failure.js";

/** A value of a statement's parameter. */
export type SqliteValue = string | number | null | Uint8Array;

/** A value of a column. Bytes are a Uint8Array in a single row, and an ArrayBuffer among several rows. */
export type SqliteColumn = SqliteValue | ArrayBuffer;
export type SqliteRow = Readonly<Record<string, SqliteColumn>>;

export interface SqliteOptions {
  /** How long a statement waits for other writers, in milliseconds. It blocks the thread, unless `blockAtMost` says less. */
  readonly busyTimeout: number;
  /**
   * Opens an existing file, and changes no byte of it: the last connection that may write would move a log that a killed process has
   * left into the file. @default false
   */
  readonly isReadOnly?: boolean;
  readonly createError: CreateError;
}

/** The longest pause between two attempts to get a lock, in milliseconds. */
const maxPause = 20;

/** One SQLite file. Prepares each statement once, runs work in transactions, explains errors. */
export class Sqlite {
  readonly path: string;
  readonly #busyTimeout: number;
  readonly #createError: CreateError;
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  /** The errors that another connection's lock caused. */
  readonly #busyErrors = new WeakSet<object>();
  #isClosed = false;
  /** Defined while `together` runs; holds why a write of it failed. */
  #together: { failure: unknown } | undefined;

  /** Opens the file, or creates it. Fails with "missing-package" where `libsql` cannot be loaded. */
  constructor(path: string, { busyTimeout, isReadOnly = false, createError }: SqliteOptions) {
    this.path = path;
    this.#busyTimeout = Math.max(0, Math.trunc(busyTimeout));
    this.#createError = createError;
    const Libsql = loadLibsql(createError);
    try {
      this.#database = new Libsql(isReadOnly ? `${pathToFileURL(path).href}?mode=ro` : path);
    } catch (error) {
      throw this.#explained(error);
    }
    this.exec(`PRAGMA busy_timeout = ${this.#busyTimeout}`);
  }

  /** Sets how long one statement may block the thread from now on, in milliseconds. `whenFree` waits on without blocking. */
  blockAtMost(milliseconds: number): void {
    this.exec(`PRAGMA busy_timeout = ${Math.min(this.#busyTimeout, Math.trunc(milliseconds))}`);
  }

  /**
   * Runs `work`, and runs it again while the file is locked, for the `busyTimeout` at most. The process goes on meanwhile. `work`
   * must be safe to repeat when it fails. A change of the system's clock does not change the wait.
   */
  async whenFree<T>(work: () => T): Promise<T> {
    for (const end = performance.now() + this.#busyTimeout; ;) {
      try {
        return work();
      } catch (error) {
        const isBusy = typeof error === "object" && error !== null && this.#busyErrors.has(error);
        if (!isBusy || performance.now() >= end) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * maxPause));
    }
  }

  exec(sql: string): void {
    this.#guard((database) => database.exec(sql));
  }

  run(sql: string, ...values: readonly SqliteValue[]): { readonly changes: number; readonly id: number } {
    const { changes, lastInsertRowid } = this.#guard((database) => this.#prepare(database, sql).run(values));
    return { changes, id: Number(lastInsertRowid) };
  }

  /** Returns the first row. */
  get(sql: string, ...values: readonly SqliteValue[]): SqliteRow | undefined {
    return this.#guard((database) => {
      try {
        return this.#prepare(database, sql).get(values);
      } catch (error) {
        // The driver does not reset a statement after this call: each later one would fail too. One that waits for a lock goes on, and
        // would hold its snapshot if it were left.
        if (failureOf(error) !== "busy") this.#statements.delete(sql);
        throw error;
      }
    }) as SqliteRow | undefined;
  }

  /** Returns all rows. `Row` says which types their columns have. */
  all<Row = SqliteRow>(sql: string, ...values: readonly SqliteValue[]): Row[] {
    return this.#guard((database) => this.#prepare(database, sql).all(values)) as Row[];
  }

  /** Calls `visit` with each row in turn, and keeps none of them. It must not throw, and must not use this connection. */
  forEach(sql: string, visit: (row: SqliteRow) => void): void {
    this.#guard((database) => {
      for (const row of this.#prepare(database, sql).iterate([])) visit(row as SqliteRow);
    });
  }

  /** Runs `work` in one transaction that takes the write lock at its start, and returns its result. */
  write<T>(work: () => T): T {
    if (this.#together !== undefined) return this.#join(work, this.#together);
    this.#begin();
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

  /** Runs `work` in one transaction that reads the state of one moment, and returns its result. */
  read<T>(work: () => T): T {
    if (this.#together !== undefined) return work();
    this.run("BEGIN");
    try {
      return work();
    } finally {
      this.#rollback();
    }
  }

  /**
   * Runs `work`, and commits all that is written meanwhile as one transaction, at its end, also if `work` throws. Others wait for
   * it. If a write fails, nothing of it is kept, and the file is closed: what this process knows of it is no longer true.
   */
  async together<T>(work: () => Promise<T>): Promise<T> {
    if (this.#together !== undefined) return work();
    await this.whenFree(() => this.#begin());
    const joined: { failure: unknown } = { failure: undefined };
    this.#together = joined;
    let result: T;
    try {
      result = await work();
    } finally {
      this.#together = undefined;
      this.#endTogether(joined.failure);
    }
    // Work that has caught the failure does not know that all of it is gone.
    if (joined.failure !== undefined) throw joined.failure;
    return result;
  }

  /**
   * Not a prepared statement: one that finds the file locked stays begun until it is run again, and all reads of the connection would see
   * the state of that moment meanwhile.
   */
  #begin(): void {
    this.exec("BEGIN IMMEDIATE");
  }

  #endTogether(failure: unknown): void {
    try {
      if (failure === undefined) this.run("COMMIT");
    } finally {
      if (!this.#isClosed && this.#database.inTransaction) {
        this.#rollback();
        this.close();
      }
    }
  }

  #join<T>(work: () => T, joined: { failure: unknown }): T {
    if (joined.failure !== undefined) throw joined.failure;
    try {
      return work();
    } catch (error) {
      joined.failure = error ?? new Error("A write failed.");
      throw error;
    }
  }

  /** Turns the write-ahead log on. SQLite does not wait when two connections do so at the same moment: this does. */
  startLog(): void {
    const end = performance.now() + this.#busyTimeout;
    for (;;) {
      try {
        this.#database.exec("PRAGMA journal_mode = WAL");
        return;
      } catch (error) {
        if (failureOf(error) !== "busy" || performance.now() >= end) throw this.#explained(error);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1 + Math.random() * 10);
      }
    }
  }

  /**
   * Moves the log into the file and turns it off, so that one file is left. Closing alone does not: the driver frees a
   * connection when its statements are collected. Where others have the file open, the last that may write does it.
   */
  endLog(): void {
    this.get("PRAGMA wal_checkpoint(TRUNCATE)");
    this.exec("PRAGMA busy_timeout = 0");
    try {
      this.#database.prepare("PRAGMA journal_mode = DELETE").get([]);
    } catch (error) {
      if (failureOf(error) !== "busy") throw this.#explained(error);
    }
  }

  /** Closes the file. Closing it again does nothing. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#statements.clear();
    this.#database.close();
    collectClosed();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  #rollback(): void {
    if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
  }

  #prepare(database: Database.Database, sql: string): Database.Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #guard<T>(work: (database: Database.Database) => T): T {
    if (this.#isClosed) throw this.#createError("closed", `${this.path} was closed. Open it again.`);
    try {
      return work(this.#database);
    } catch (error) {
      throw this.#explained(error);
    }
  }

  #explained(error: unknown): unknown {
    const found = explanationOf(error);
    if (!found) return error;
    const [, failure, text] = found;
    const explained = this.#createError(
      failure,
      `${this.path} ${text}. (${(error as Error).message})`,
      error,
    );
    if (failure === "busy" && typeof explained === "object" && explained !== null)
      this.#busyErrors.add(explained);
    return explained;
  }
}
