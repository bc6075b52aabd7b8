import { textsLiteral } from "@palimpsest/sql";
import type { Postgres, PostgresResult } from "@palimpsest/sql";
import type { LeftByThreads, ThreadPlaces, WholeDeletion } from "../engine.js";
import { entryOf } from "./postgres-driver.js";
import { existSql } from "./file-tables.js";
import type { FileTables } from "./file-tables.js";
import type { PostgresDriver } from "./postgres-driver.js";

/** Threads of the first transaction. */
const firstThreads = 8;
const maxThreads = 256;

/** Milliseconds that a transaction takes, and holds its locks, by the measure of those before it. */
const targetTime = 15;

const lockedIds = "string_to_array(current_setting('palimpsest.locked'), ',')::bigint[]";

const timeSql = "SELECT extract(epoch FROM clock_timestamp() - transaction_timestamp()) * 1000 AS time";

/**
 * Deletes threads with their files in one round trip each, or many threads in one. A batch has no parameters and a transaction
 * of several statements, so the numbers of the locked threads are in a setting that ends with the transaction.
 */
export class PostgresDeletion implements WholeDeletion {
  readonly #postgres: Postgres;
  readonly #tables: FileTables;
  #threads = firstThreads;

  /** `driver` keeps the files in the same database. */
  constructor(postgres: Postgres, driver: PostgresDriver) {
    this.#postgres = postgres;
    this.#tables = driver.tables;
  }

  async deleteThreads(threads: readonly ThreadPlaces[], waiting: string): Promise<LeftByThreads> {
    const references: LeftByThreads["references"][number][] = [];
    let areWaiting = false;
    for (let at = 0; at < threads.length;) {
      const part = threads.slice(at, at + this.#threads);
      const left = await this.#delete(part, waiting);
      references.push(...left.references);
      areWaiting ||= left.areWaiting;
      at += part.length;
    }
    return { references, areWaiting };
  }

  async #delete(threads: readonly ThreadPlaces[], waiting: string): Promise<LeftByThreads> {
    const threadIds = threads.map(({ threadId }) => threadId);
    if (!this.#tables.wereSeen) {
      // Deletes nothing where there are files: then the references come first.
      const deletions = deletionsOf(threadIds, "to_regclass('palimpsest_files') IS NULL");
      const [exist] = (await this.#run(threads, [existSql, ...deletions])) as [PostgresResult];
      if (!this.#tables.see(exist)) return { references: [], areWaiting: false };
    }
    const statements = [...lookups(threads, waiting), ...deletionsOf(threadIds), ...fileDeletions(threads)];
    const [held, isWaiting] = (await this.#run(threads, statements)) as [PostgresResult, PostgresResult];
    return { references: held.rows.map(entryOf), areWaiting: isWaiting.rows[0]?.["exists"] === true };
  }

  async #run(
    threads: readonly ThreadPlaces[],
    statements: readonly string[],
  ): Promise<readonly PostgresResult[]> {
    const results = await this.#postgres.batch([...statements, timeSql]);
    this.#adapt(threads.length, Number(results.at(-1)?.rows[0]?.["time"]));
    return results;
  }

  /** Takes more threads into the next transaction after a short one, and fewer after a long one. */
  #adapt(threads: number, time: number): void {
    const fitting = Math.floor((threads * targetTime) / Math.max(time, 1));
    // A part that is not full says only that as many threads are not too many.
    const next = fitting < threads ? fitting : Math.max(this.#threads, Math.min(fitting, 2 * threads));
    this.#threads = Math.min(maxThreads, Math.max(1, next));
  }
}

/** References first: one that is renewed later has a newer time than the listed one, and stays. */
function lookups(threads: readonly ThreadPlaces[], waiting: string): readonly string[] {
  const directories = threads.map(({ references }) => references);
  return [
    `SELECT path, size, modified FROM ${directoriesOf(directories)} JOIN palimpsest_files ON ${isBelow}`,
    `SELECT EXISTS (SELECT FROM ${directoriesOf([waiting])} JOIN palimpsest_files ON ${isBelow}) AS exists`,
  ];
}

/** "0" is the character after "/". */
const isBelow = "path > directory || '/' AND path < directory || '0'";

function directoriesOf(directories: readonly string[]): string {
  return `unnest(${textsLiteral(directories)}) AS directory`;
}

/**
 * Waits for commits in progress on the locks of the threads, and then deletes the entries, in a statement that sees those commits.
 * Of a thread that begins between two of the statements, no part is deleted.
 */
function deletionsOf(threadIds: readonly string[], condition = "true"): readonly string[] {
  const names = textsLiteral(threadIds);
  return [
    `SELECT set_config('palimpsest.locked', coalesce(string_agg(id::text, ','), ''), true) FROM (
       SELECT id FROM palimpsest_threads WHERE name = ANY(${names}) AND name <> '' AND ${condition}
       ORDER BY name FOR UPDATE
     ) AS locked`,
    `DELETE FROM palimpsest_entries WHERE thread = ANY(${lockedIds})`,
    `DELETE FROM palimpsest_threads WHERE name = ANY(${names}) AND id = ANY(${lockedIds})`,
  ];
}

function fileDeletions(threads: readonly ThreadPlaces[]): readonly string[] {
  const archives = threads.flatMap(({ archives: each }) => each);
  return [
    `DELETE FROM palimpsest_files USING ${directoriesOf(archives)} WHERE ${isBelow}`,
    `DELETE FROM palimpsest_files WHERE path = ANY(${textsLiteral(threads.map(({ copy }) => copy))})`,
  ];
}
