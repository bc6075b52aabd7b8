import type { CreateError } from "./sql-failure.js";

/** The part of `pg` that is used here. */
export interface PostgresQuery {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}
export interface PostgresConnection {
  query(query: PostgresQuery | string): Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;
  release(error?: Error): void;
  on(event: "error", listener: () => void): unknown;
  off(event: "error", listener: () => void): unknown;
}
export interface PostgresPool {
  query(query: PostgresQuery): ReturnType<PostgresConnection["query"]>;
  connect(): Promise<PostgresConnection>;
  end(): Promise<void>;
}

/** Where a database is: its url, the options of a pool of `pg`, or an open pool. */
export type PostgresSource = string | object;

/** What a pool has that is opened here, unless the options of `pg` say otherwise. */
export interface PoolLimits {
  /** The most connections. */
  readonly connections: number;
  /** Milliseconds to wait for a free connection before the attempt counts as failed. */
  readonly connectionTimeout: number;
}

const schemaName = /^[a-z_][\w$-]{0,62}$/iu;

/** Returns the schema that a url names, as in postgres://host/database?schema=agents. Undefined for every other place. Pure. */
export function schemaIn(source: unknown): string | undefined {
  if (typeof source !== "string" || !URL.canParse(source)) return undefined;
  return new URL(source).searchParams.get("schema") ?? undefined;
}

/**
 * Returns what is wrong with the place of a database, without its secrets, and the way out; undefined when nothing is. Pure.
 */
export function wrongPostgres(
  source: unknown,
  {
    schema = schemaIn(source),
    connections,
  }: { readonly schema?: unknown; readonly connections?: unknown } = {},
): string | undefined {
  const wrong = wrongSource(source);
  if (wrong !== undefined) return wrong;
  if (schema !== undefined && !isSchemaName(schema))
    return `schema is ${JSON.stringify(schema)}: give a name of up to 63 letters, digits, _, $ and -.`;
  if (connections === undefined) return undefined;
  if (isPool(source))
    return "connections is for a pool that is opened here: set max of the pool that you pass.";
  if (Number.isInteger(connections) && Number(connections) > 0) return undefined;
  return `connections is ${JSON.stringify(connections)}: give a whole number of at least 1.`;
}

function isSchemaName(schema: unknown): boolean {
  return typeof schema === "string" && schemaName.test(schema);
}

function wrongSource(source: unknown): string | undefined {
  const way = "pass postgres://user:password@host:5432/database, the options of a pool of pg, or a pg.Pool.";
  if (typeof source === "string") {
    if (/^postgres(?:ql)?:\/\//.test(source)) return undefined;
    const shown = JSON.stringify(source.length > 20 ? `${source.slice(0, 20)}…` : source);
    return `The url of the database is ${shown}: ${way}`;
  }
  if (source instanceof Promise) return "The database is a Promise: await it.";
  if (typeof source !== "object" || source === null)
    return `The url of the database is ${String(source)}: ${way}`;
  const isClient = isPool(source) && !("totalCount" in source);
  return isClient ? "The database is one connection: pass a pg.Pool, which replaces a lost one." : undefined;
}

/** True for a pool, and for one connection of `pg`. */
export function isPool(source: unknown): source is PostgresPool {
  const { query, connect } = Object(source) as Readonly<Record<string, unknown>>;
  return typeof query === "function" && typeof connect === "function";
}

/** Opens a pool. Connects with the first statement. Fails with "missing-package" without `pg`. */
export async function openPool(
  source: PostgresSource,
  { connections, connectionTimeout }: PoolLimits,
  createError: CreateError,
): Promise<PostgresPool> {
  const { default: pg } = await import("pg").catch((cause: unknown) => {
    const message = "Postgres needs the package pg. Run: npm install pg";
    throw createError("missing-package", message, cause);
  });
  const pool = new pg.Pool({
    max: connections,
    connectionTimeoutMillis: connectionTimeout,
    ...(typeof source === "string" ? { connectionString: source } : source),
  });
  // The pool replaces a connection that breaks while it is idle; without a listener its error event would end the process.
  pool.on("error", ignore);
  // The pool listens to no connection that it is handing out. The last word of a server that goes down may come in that moment.
  pool.on("connect", (connection) => void connection.on("error", ignore));
  return pool;
}

function ignore(): void {}
