import type Database from "libsql";

export type Value = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, string | number | null>>;

/** The statements of an open file, each prepared once. */
export class Statements {
  readonly #database: Database.Database;
  readonly #prepared = new Map<string, Database.Statement>();

  constructor(database: Database.Database) {
    this.#database = database;
  }

  /** Runs work as one transaction that is the only writer from its start, so that it never has to give way midway. */
  write<Result>(work: () => Result): Result {
    return this.#database.transaction(work).immediate();
  }

  /** Returns how many rows it changed. */
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
