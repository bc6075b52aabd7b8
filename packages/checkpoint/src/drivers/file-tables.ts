import { codeOf } from "@palimpsest/sql";
import type { Postgres, PostgresResult } from "@palimpsest/sql";
import { createFileTables } from "../engines/postgres/schema.js";

/** Postgres' code for a table that does not exist. */
const undefinedTable = "42P01";

/** Asks whether the tables of files are there. */
export const existSql = "SELECT to_regclass('palimpsest_files') IS NOT NULL AS exist";

/**
 * The tables of files, which the first file creates, maybe in another process. Asks for them before their first use: a statement
 * that fails costs its connection.
 */
export class FileTables {
  readonly #postgres: Postgres;
  #wereSeen = false;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  /** Whether the tables were seen: true says that they are there, false says nothing. */
  get wereSeen(): boolean {
    return this.#wereSeen;
  }

  /** Reads the result of `existSql`. */
  see({ rows }: PostgresResult): boolean {
    this.#wereSeen ||= rows[0]?.["exist"] === true;
    return this.#wereSeen;
  }

  /** True from the first file on. */
  async exist(): Promise<boolean> {
    return this.#wereSeen || this.see(await this.#postgres.query(existSql));
  }

  /** Creates the tables when they are missing, and writes to them. */
  async with<T>(write: () => Promise<T>): Promise<T> {
    if (!(await this.exist())) await createFileTables(this.#postgres);
    this.#wereSeen = true;
    return write().catch(async (error: unknown) => {
      if (codeOf(error) !== undefinedTable) throw error;
      await createFileTables(this.#postgres);
      return write();
    });
  }

  /** Runs a statement on the tables. Finds nothing while there are none. */
  async query(text: string, values: readonly unknown[]): Promise<PostgresResult> {
    const nothing = { rows: [], rowCount: 0 };
    if (!(await this.exist())) return nothing;
    return this.#postgres.query(text, values).catch((error: unknown) => {
      if (codeOf(error) === undefinedTable) return nothing;
      throw error;
    });
  }
}
