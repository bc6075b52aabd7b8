import { CheckpointError, copyPostgres, VfsSaver } from "@palimpsest/checkpoint";
import { CliError } from "./cli-error.js";
import { isPostgres, unopened } from "./open-storage.js";
import { checkNew } from "./write-new.js";

/** Copies a consistent snapshot of a SQLite file to a new file, or of a Postgres database into one without threads. */
export async function copyStorage(from: string, to: string): Promise<void> {
  if (!isPostgres(from)) return VfsSaver.backup(from, to);
  await copyPostgres(from, to).catch((error: unknown) => {
    throw CheckpointError.isInstance(error) ? error : unopened(to, error);
  });
}

/** Throws a CliError if a storage cannot be copied to such a place. */
export function checkCopy(from: string, to: string): void {
  if (isPostgres(from) !== isPostgres(to))
    throw new CliError(
      "The copy of a file is a new file, and the copy of a Postgres database is the url of an empty one.",
    );
  if (!isPostgres(to)) checkNew(to);
}
