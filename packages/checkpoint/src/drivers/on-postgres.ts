import type { Postgres } from "@palimpsest/sql";
import { PostgresEngine } from "../engines/postgres/postgres-engine.js";
import { PostgresDeletion } from "./postgres-deletion.js";
import { PostgresDriver } from "./postgres-driver.js";

/** Returns the parts of a saver that keeps checkpoints and files in one database. */
export function onPostgres(postgres: Postgres): {
  readonly engine: PostgresEngine;
  readonly driver: PostgresDriver;
  readonly deletion: PostgresDeletion;
} {
  const driver = new PostgresDriver(postgres);
  return { engine: new PostgresEngine(postgres), driver, deletion: new PostgresDeletion(postgres, driver) };
}
