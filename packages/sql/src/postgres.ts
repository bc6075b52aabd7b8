import { createHash } from "node:crypto";
import { isPool, openPool, schemaIn } from "./postgres-pool.js";
import type { PoolLimits, PostgresPool, PostgresSource } from "./postgres-pool.js";
import type { CreateError, SqlFailure } from "./sql-failure.js";

export type PostgresRow = Readonly<Record<string, unknown>>;

export interface PostgresResult {
  readonly rows: PostgresRow[];
  readonly rowCount: number | null;
}

/** Runs statements: the pool, or the connection of a transaction. */
export interface PostgresClient {
  query(text: string, values?: readonly unknown[]): Promise<PostgresResult>;
  /**
   * Runs a statement that each connection prepares once, so that the server parses and plans it once. Inside a transaction it is not
   * prepared: there a pooler's refusal would end the transaction.
   */
  prepared(text: string, values: readonly unknown[]): Promise<PostgresResult>;
}

export interface PostgresOptions extends PoolLimits {
  /** The schema of the tables, which `createSchema` creates. @default `schema` of the url, or the first of the connection's search path */
  readonly schema?: string | undefined;
  /** Whether a commit waits until it is on disk. Without it, a crash of the server may undo the newest transactions. */
  readonly isDurable: boolean;
  /** Refuses every statement that writes, before it is sent: a session may belong to a pooler, which no setting may change. @default false */
  readonly isReadOnly?: boolean | undefined;
  readonly createError: CreateError;
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

/** How PgBouncer refuses the options of a url. It gives this code to failures that pass as well. */
const refusedOptions = /unsupported startup parameter/iu;

/** Statements of ours that write. */
const writing =
  /\b(?:INSERT INTO|DELETE FROM|UPDATE palimpsest|CREATE|ALTER|DROP|VACUUM|FOR UPDATE|FOR SHARE)\b/u;

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
  [
    /^08P01$/u,
    "bad-option",
    "The pooler refuses settings of a session, which it shares among clients. Leave options out of the url: name a schema with { schema } or ?schema=NAME, and read with { readOnly: true }",
  ],
  [
    /^(?:57014|55P03)$/u,
    "busy",
    "Postgres ended a statement that took or waited longer than statement_timeout or lock_timeout allow, or that was canceled. Nothing of it was kept. Try again, or give the role of the url more time",
  ],
  [/^3D000$/u, "not-a-database", "The server has no database of this name. Create it, or correct the url"],
];

/** A prepared statement that is unknown to the server, or already known: a pooler has changed the connection. */
const misprepared = /^(?:26000|42P05)$/u;

/** Our tables begin with it, and nothing else in a statement does. */
const tableNames = /\bpalimpsest_/gu;

/**
 * A pool of connections to one Postgres database. Retries work that a lost connection interrupts, so work must be safe to
 * repeat.
 */
export class Postgres implements PostgresClient {
  readonly #pool: PostgresPool;
  /** Whether the pool was opened here, and is closed here. */
  readonly #isOwn: boolean;
  readonly #schema: string | undefined;
  readonly #begin: string;
  readonly #isReadOnly: boolean;
  readonly #createError: CreateError;
  #canPrepare = true;

  private constructor(
    pool: PostgresPool,
    isOwn: boolean,
    { isDurable, isReadOnly = false, schema, createError }: PostgresOptions,
  ) {
    this.#pool = pool;
    this.#isOwn = isOwn;
    this.#schema = schema;
    this.#isReadOnly = isReadOnly;
    this.#begin = `BEGIN ISOLATION LEVEL READ COMMITTED${isReadOnly ? " READ ONLY" : ""}${isDurable ? "" : "; SET LOCAL synchronous_commit = off"}`;
    this.#createError = createError;
  }

  /**
   * Opens a pool, or uses the one that is given and never closes it. Connects with the first statement. Fails with
   * "missing-package" without `pg`.
   */
  static async open(source: PostgresSource, options: PostgresOptions): Promise<Postgres> {
    if (isPool(source)) return new Postgres(source, false, options);
    const { schema = schemaIn(source), createError } = options;
    return new Postgres(await openPool(source, options, createError), true, { ...options, schema });
  }

  /** Creates the schema of the tables when it is missing. */
  async createSchema(client: PostgresClient): Promise<void> {
    if (this.#schema === undefined) return;
    const { rows } = await client.query("SELECT FROM pg_namespace WHERE nspname = $1", [this.#schema]);
    // IF NOT EXISTS asks for the right to create schemas even where there is nothing to create.
    if (rows.length === 0) await client.query(`CREATE SCHEMA "${this.#schema}"`);
  }

  /** Returns the text with the schema before each of our tables: a given pool keeps its search path. */
  qualified(text: string): string {
    return this.#schema === undefined
      ? text
      : text.replaceAll(tableNames, (prefix) => `"${this.#schema}".${prefix}`);
  }

  async query(text: string, values: readonly unknown[] = []): Promise<PostgresResult> {
    this.#check(text);
    return this.#retrying(async () => this.#pool.query({ text: this.qualified(text), values: [...values] }));
  }

  /** As `PostgresClient` says. Falls back to `query` for good when a pooler does not keep prepared statements. */
  async prepared(text: string, values: readonly unknown[]): Promise<PostgresResult> {
    this.#check(text);
    return this.#retrying(async () => {
      const query = { text: this.qualified(text), values: [...values] };
      if (!this.#canPrepare) return this.#pool.query(query);
      return this.#pool.query({ name: statementName(query.text), ...query }).catch(async (error: unknown) => {
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

  /**
   * Runs statements without parameters as one transaction, in one round trip, and returns the result of each. Each statement
   * sees what was committed before it. Write foreign text with `textsLiteral`: the schema is put before every name of a table.
   */
  async batch(statements: readonly string[]): Promise<readonly PostgresResult[]> {
    statements.forEach((statement) => this.#check(statement));
    const text = this.qualified([this.#begin, ...statements, "COMMIT"].join(";\n"));
    // Without parameters `pg` sends a text as it is, and the server answers once for each statement. A failure ends the connection,
    // and with it the transaction.
    const results: unknown = await this.#retrying(async () => this.#pool.query({ text, values: [] }));
    return (results as PostgresResult[]).slice(-1 - statements.length, -1);
  }

  /** Closes the pool, unless it was given. */
  async close(): Promise<void> {
    if (this.#isOwn) await this.#pool.end();
  }

  async #transaction<T>(work: (client: PostgresClient) => Promise<T>): Promise<T> {
    const connection = await this.#pool.connect();
    let failure: Error | undefined;
    // A connection that breaks fails its next query; without a listener its error event would end the process.
    connection.on("error", ignore);
    try {
      await connection.query(this.#begin);
      const query = async (text: string, values: readonly unknown[] = []): Promise<PostgresResult> => {
        this.#check(text);
        return connection.query({ text: this.qualified(text), values: [...values] });
      };
      const result = await work({ query, prepared: query });
      await connection.query("COMMIT");
      return result;
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      await connection.query("ROLLBACK").catch(() => undefined);
      throw error;
    } finally {
      connection.off("error", ignore);
      // A connection on which a query failed may be in any state: discard it.
      connection.release(failure);
    }
  }

  #check(text: string): void {
    if (!this.#isReadOnly || !writing.test(text)) return;
    throw this.#createError("read-only", "The database was opened with readOnly. Open it without to write.");
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

function ignore(): void {}

const statementNames = new Map<string, string>();

/**
 * Returns the name of a prepared statement: a digest of its text. A pooler may hand out a connection on which another process, with
 * another schema or version, has prepared statements: under one name there is one text. Pure.
 */
function statementName(text: string): string {
  const known = statementNames.get(text);
  if (known !== undefined) return known;
  const name = `palimpsest_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
  statementNames.set(text, name);
  return name;
}

/**
 * Returns an expression for a list of texts in a statement without parameters. Only hexadecimal digits stand in it, so no setting
 * of the server and no text can end the literal. Pure.
 */
export function textsLiteral(texts: readonly string[]): string {
  const digits = texts.map((text) => `"${Buffer.from(text).toString("hex")}"`).join(",");
  return `ARRAY(SELECT convert_from(decode(hex, 'hex'), 'UTF8') FROM unnest('{${digits}}'::text[]) AS hex)`;
}

/** Returns the code of an error of Postgres or of the connection, "" when it has none. Pure. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof Error) || refusedOptions.test(error.message)) return false;
  return passing.test(codeOf(error)) || passingMessage.test(error.message);
}
