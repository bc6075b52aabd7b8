import type Database from "libsql";
import type { PassageFilter, StoredPassage } from "../../passage.js";
import { rangeOf } from "../passage-store.js";
import type { IdRange } from "../passage-store.js";

export type Value = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, string | number | null>>;

/** The statements of an open file, each prepared once. */
export class Statements {
  readonly #database: Database.Database;
  readonly #prepared = new Map<string, Database.Statement>();

  constructor(database: Database.Database) {
    this.#database = database;
  }

  /** Runs work in one transaction that takes the write lock at its start, so that no other writer can abort it. */
  write<Result>(work: () => Result): Result {
    return this.#database.transaction(work).immediate();
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...values: readonly Value[]): number {
    return this.#statement(sql).run(values).changes;
  }

  get(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#statement(sql).get(values) as Row | undefined;
  }

  all<Found = Row>(sql: string, ...values: readonly Value[]): Found[] {
    return this.#statement(sql).all(values) as Found[];
  }

  close(): void {
    this.#database.close();
  }

  #statement(sql: string): Database.Statement {
    const known = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, known);
    return known;
  }
}

/** Returns the id range of a thread, or undefined for an unknown thread. */
export function idsOf(statements: Statements, thread: string): IdRange | undefined {
  const no = statements.get("SELECT no FROM thread WHERE name = ?", thread)?.["no"];
  return no === undefined ? undefined : rangeOf(Number(no));
}

/** Returns the id range of a thread. A new thread gets ids that no thread has had. Runs inside a writing transaction. */
export function newIdsOf(statements: Statements, thread: string): IdRange {
  statements.run("INSERT OR IGNORE INTO thread(name) VALUES (?)", thread);
  return idsOf(statements, thread) ?? rangeOf(0);
}

/** Returns a filter without its thread as SQL conditions on `passage p`, with their values; "" for an empty filter. */
export function conditions({ kind, path, steps }: PassageFilter): {
  readonly where: string;
  readonly values: readonly (string | number)[];
} {
  const parts: [string, ...(string | number)[]][] = [];
  if (kind !== undefined) parts.push(["p.kind = ?", kind]);
  if (path !== undefined) parts.push(["substr(p.path, 1, length(?)) = ?", path, path]);
  if (steps !== undefined) parts.push(["p.step BETWEEN ? AND ?", ...steps]);
  return {
    where: parts.map(([sql]) => ` AND ${sql}`).join(""),
    values: parts.flatMap(([, ...values]) => values),
  };
}

export function toPassage({ id, path, line, kind, step, text }: Row, thread: string): StoredPassage {
  return {
    id: Number(id),
    thread,
    path: String(path),
    line: Number(line),
    kind: String(kind),
    text: String(text),
    ...(step === null || step === undefined ? {} : { step: Number(step) }),
  };
}
