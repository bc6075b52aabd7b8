import { existsSync, statSync } from "node:fs";
import { CheckpointError, VfsSaver } from "@palimpsest/checkpoint";
import { CliError } from "./cli-error.js";
import type { Secrets } from "./secrets.js";
import { checkDirectory } from "./write-new.js";
import type { Verb } from "./verb.js";

/** True for the url of a Postgres database; everything else is the path of a SQLite file. */
export function isPostgres(target: string): boolean {
  return /^postgres(?:ql)?:\/\//u.test(target);
}

/** How a storage is opened. */
export interface OpenOptions {
  /** @default false: read-only */
  readonly canWrite?: Verb["canWrite"] | undefined;
  /** The secrets of the saver that writes the storage, if it has some. */
  readonly secrets?: Secrets;
}

/**
 * Opens a SQLite file by its path, or a Postgres database by its url. Read-only without `canWrite`: creates no file or table
 * and changes no row.
 */
export async function openStorage(
  target: string,
  { canWrite = false, secrets = {} }: OpenOptions = {},
): Promise<VfsSaver> {
  if (!isPostgres(target)) {
    // Opening for writing would create a missing file and add tables to an empty one.
    if (canWrite === true && !existsSync(target)) throw new CliError(`There is no database at ${target}.`);
    if (existsSync(target) && statSync(target).isDirectory())
      throw new CliError(`${target} is a directory. Pass the path of the database in it.`);
    if (canWrite === "create") checkDirectory(target);
    if (canWrite !== "create" && existsSync(target) && statSync(target).size === 0)
      throw new CliError(
        `${target} is empty: it holds no threads. Pass the path of a file that agents write.`,
      );
    return VfsSaver.fromPath(target, {
      ...secrets,
      ...(canWrite === false ? { readOnly: true, busyTimeout: readTimeout } : {}),
    });
  }
  return VfsSaver.fromPostgres(target, { ...secrets, readOnly: canWrite === false }).catch(
    (error: unknown) => {
      throw CheckpointError.isInstance(error) && !isEmpty(error) ? error : unopened(target, error);
    },
  );
}

/** Milliseconds. A reader waits only for a process that creates, upgrades or closes the file. */
const readTimeout = 3_000;

/** True where the tables are missing and may not be created. */
function isEmpty(error: CheckpointError): boolean {
  return error.code === "read-only" || error.code === "not-found";
}

/** Returns the error for a database that cannot be reached or used, without its password. */
export function unopened(target: string, cause: unknown): CliError {
  if (CheckpointError.isInstance(cause) && isEmpty(cause)) {
    return new CliError(
      "The database holds no threads of Palimpsest. Check the name of the database in the url, and add ?schema=NAME if they are in a schema.",
      { cause },
    );
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CliError(`${nameOf(target)} cannot be opened: ${reason}. Check the url.`, { cause });
}

/** Returns the path of a file, or where a database is and in which schema, without its password. */
export function nameOf(target: string): string {
  if (!isPostgres(target) || !URL.canParse(target)) return target;
  const { host, pathname, searchParams } = new URL(target);
  const schema = searchParams.get("schema");
  return `${host}${pathname}${schema === null ? "" : `?schema=${schema}`}`;
}

const schemaName = /^[a-z_][\w$-]{0,62}$/iu;

/** Returns the schema that a url names. Throws a CliError for what is no name. */
export function schemaIn(target: string): string | undefined {
  const schema = URL.canParse(target) ? new URL(target).searchParams.get("schema") : null;
  if (schema === null) return undefined;
  if (schemaName.test(schema)) return schema;
  throw new CliError(
    `schema is ${JSON.stringify(schema)}: give a name of up to 63 letters, digits, _, $ and -.`,
  );
}
