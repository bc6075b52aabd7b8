import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { openPostgres } from "../engines/postgres/open-postgres.js";
import { LibsqlTarget } from "./libsql-target.js";
import { PostgresTarget } from "./postgres-target.js";
import type { RepairTarget } from "./repair-target.js";

/** Opens the path of a SQLite file or the url of a Postgres database, runs `work` on it, and closes it. */
export async function withTarget<T>(
  storage: string,
  { readOnly }: { readonly readOnly: boolean },
  work: (target: RepairTarget) => Promise<T>,
): Promise<T> {
  const isPostgres = /^postgres(?:ql)?:\/\//u.test(storage);
  const target = isPostgres
    ? new PostgresTarget(await openPostgres(storage, { readOnly }))
    : new LibsqlTarget(new LibsqlDatabase(storage, { readOnly }));
  try {
    return await work(target);
  } finally {
    await target.engine.close();
  }
}
