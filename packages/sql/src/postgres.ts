import type { CreateError, SqlFailure } from "./sql-failure.js";

export type PostgresRow = Readonly<Record<string, unknown>>;

export interface PostgresResult {
  readonly rows: PostgresRow[];
  readonly rowCount: number | null;
}

/** Runs statements: the pool, or the connection of a transaction. */
export interface PostgresClient {
  query(text: string, values?: readonly unknown[]): Promise<PostgresResult>;
}

export interface PostgresOptions {
  /** The most connections of the pool. */
  readonly connections: number;
  /** Milliseconds to wait for a free connection before the attempt counts as failed. */
  readonly connectionTimeout: number;
  /** Whether a commit waits until it is on disk. Without it, a crash of the server may undo the newest transactions. */
  readonly isDurable: boolean;
  readonly createError: CreateError;
}

/** The part of `pg` that is used here. */
interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}
interface Connection {
  query(query: Query | string): Promise<PostgresResult>;
  release(error?: Error): void;
}
interface Pool {
  query(query: Query): Promise<PostgresResult>;
  connect(): Promise<Connection>;
  end(): Promise<void>;
}

/** With the delays below about four seconds in all: a restarting server is back by then. */
const maxAttempts = 6;
const firstDelay = 50;
const maxDelay = 2000;

/**
 * Codes of failures that a retry may resolve: a lost connection (08…, 57P0…), a serialization failure or a
 * deadlock, too many connections, a referenced row that was deleted meanwhile.
 */
const passing = /^(?:08|57P0|40001|40P01|53300|23503|ECONN|EPIPE|ETIMEDOUT)/u;
const passingMessage = /Connection terminated|connection error|timeout exceeded when trying to connect/iu;

/** Failures that the operator has to end, by the code of Postgres. */
const explanations: readonly (readonly [code: RegExp, failure: SqlFailure, text: string])[] = [
  [
    /^53100$/u,
    "disk-full",
    "The database could not grow: the disk is full. Nothing of this write was kept. Free space and try again",
  ],
  [
    /^25006$/u,
    "read-only",
    "The database can be read but not written: it is a standby, or its sessions are read-only. Connect to the primary, or allow writes",
  ],
  [
    /^42501$/u,
    "denied",
    "The role of the url may not do this. GRANT it the tables whose names begin with palimpsest, and CREATE on the schema for the first start",
  ],
  [/^28/u, "denied", "Postgres refused the role or the password of the url. Check them"],
];

/** A prepared statement that is unknown to the server, or already known: a pooler has changed the connection. */
const misprepared = /^(?:26000|42P05)$/u;

/**
 * A pool of connections to one Postgres database. Retries work that a lost connection interrupts, so work must be safe to
 * repeat.
 */
export class Postgres implements PostgresClient {
  readonly #pool: Pool;
  readonly #begin: string;
  readonly #createError: CreateError;
  #canPrepare = true;

  private constructor(pool: Pool, { isDurable, createError }: PostgresOptions) {
    this.#pool = pool;
    this.#begin = `BEGIN ISOLATION LEVEL READ COMMITTED${isDurable ? "" : "; SET LOCAL synchronous_commit = off"}`;
    this.#createError = createError;
  }

  /** Creates a pool. Connects with the first statement. Fails with "missing-package" without `pg`. */
  static async open(url: string, options: PostgresOptions): Promise<Postgres> {
    const { default: pg } = await import("pg").catch((cause: unknown) => {
      const message = "Postgres needs the package pg. Run: npm install pg";
      throw options.createError("missing-package", message, cause);
    });
    const pool = new pg.Pool({
      connectionString: url,
      max: options.connections,
      connectionTimeoutMillis: options.connectionTimeout,
    });
    // The pool replaces a connection that breaks while it is idle. One that breaks inside a transaction fails its next query;
    // without a listener its error event would end the process.
    pool.on("error", () => undefined);
    pool.on("connect", (client) => client.on("error", () => undefined));
    return new Postgres(pool, options);
  }

  async query(text: string, values: readonly unknown[] = []): Promise<PostgresResult> {
    return this.#retrying(async () => this.#pool.query({ text, values: [...values] }));
  }

  /**
   * Runs a statement that each connection prepares once, under a name that belongs to its text: it is parsed and planned once.
   * Falls back to `query` for good when a pooler does not keep prepared statements.
   */
  async prepared(name: string, text: string, values: readonly unknown[]): Promise<PostgresResult> {
    return this.#retrying(async () => {
      const query = { text, values: [...values] };
      if (!this.#canPrepare) return this.#pool.query(query);
      return this.#pool.query({ name, ...query }).catch(async (error: unknown) => {
        if (!misprepared.test(codeOf(error))) throw error;
        this.#canPrepare = false;
        return this.#pool.query(query);
      });
    });
  }

  /** Runs `work` in one transaction and returns its result. Each statement sees what was committed before it. */
  async transaction<T>(work: (client: PostgresClient) => Promise<T>): Promise<T> {
    return this.#retrying(async () => this.#transaction(work));
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #transaction<T>(work: (client: PostgresClient) => Promise<T>): Promise<T> {
    const connection = await this.#pool.connect();
    let failure: Error | undefined;
    try {
      await connection.query(this.#begin);
      const result = await work({
        query: async (text, values = []) => connection.query({ text, values: [...values] }),
      });
      await connection.query("COMMIT");
      return result;
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      await connection.query("ROLLBACK").catch(() => undefined);
      throw error;
    } finally {
      // A connection on which a query failed may be in any state: discard it.
      connection.release(failure);
    }
  }

  async #retrying<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!isPassing(error) || attempt === maxAttempts) throw this.#explained(error);
        const delay = Math.min(maxDelay, firstDelay * 3 ** (attempt - 1));
        await new Promise((resolve) => setTimeout(resolve, delay));
      }
    }
  }

  #explained(cause: unknown): unknown {
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (isPassing(cause)) {
      const message = `Postgres did not answer in ${maxAttempts} attempts. Check the server. (${reason})`;
      return this.#createError("busy", message, cause);
    }
    const found = explanations.find(([code]) => code.test(codeOf(cause)));
    return found === undefined ? cause : this.#createError(found[1], `${found[2]}. (${reason})`, cause);
  }
}

/** Returns the code of an error of Postgres or of the connection, "" when it has none. Pure. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function isPassing(error: unknown): boolean {
  return error instanceof Error && (passing.test(codeOf(error)) || passingMessage.test(error.message));
}
