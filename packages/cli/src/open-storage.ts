import { existsSync } from "node:fs";
import { VfsSaver } from "@palimpsest/checkpoint";
import { CliError } from "./cli-error.js";
import type { Verb } from "./verb.js";

/** True for the url of a Postgres database; everything else is the path of a SQLite file. */
export function isPostgres(target: string): boolean {
  return /^postgres(?:ql)?:\/\//u.test(target);
}

/**
 * Opens the path of a SQLite file or the url of a Postgres database. Without `canWrite` it is read-only: nothing creates a file
 * or a table, or changes a row.
 */
export async function openStorage(target: string, canWrite: Verb["canWrite"] = false): Promise<VfsSaver> {
  if (!isPostgres(target)) {
    // Opened for writing, a file that is not there would be created.
    if (canWrite === true && !existsSync(target)) throw new CliError(`There is no database at ${target}.`);
    return VfsSaver.fromPath(target, { readOnly: canWrite === false });
  }
  return VfsSaver.fromPostgres(canWrite === false ? readOnlyUrl(target) : target).catch((error: unknown) => {
    if ((error as { readonly code?: unknown }).code !== readOnlyTransaction) throw error;
    throw new CliError(
      "The database holds no threads of Palimpsest. Check the name of the database in the url.",
    );
  });
}

/** Postgres's code for a write in a read-only transaction: there, opening would create tables. */
const readOnlyTransaction = "25006";

function readOnlyUrl(target: string): string {
  const url = new URL(target);
  const options = url.searchParams.get("options");
  const readOnly = "-c default_transaction_read_only=on";
  url.searchParams.set("options", options === null ? readOnly : `${options} ${readOnly}`);
  return url.toString();
}
