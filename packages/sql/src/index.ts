export { codeOf, Postgres, textsLiteral } from "./postgres.js";
export type { PostgresClient, PostgresOptions, PostgresResult, PostgresRow } from "./postgres.js";
export { wrongPostgres } from "./postgres-pool.js";
export type { PostgresSource } from "./postgres-pool.js";
export { Sqlite } from "./sqlite.js";
export type { SqliteColumn, SqliteOptions, SqliteRow, SqliteValue } from "./sqlite.js";
export type { CreateError, SqlFailure } from "./sql-failure.js";
