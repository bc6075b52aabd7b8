import { VfsSaver } from "../saver/vfs-saver.js";
import { newDatabase } from "./empty-postgres.js";
import { temporaryPath } from "./savers.js";

const postgresUrl = process.env["PALIMPSEST_POSTGRES_URL"];

/** A database that several savers share, as processes do. */
export interface SharedDatabase {
  readonly name: string;
  /** Creates a database, and returns a function that opens a saver on it. */
  readonly create: () => Promise<() => Promise<VfsSaver>>;
}

async function sharedPostgres(server: string): Promise<() => Promise<VfsSaver>> {
  const url = await newDatabase(server, `palimpsest_shared_${process.pid}`);
  return async () => VfsSaver.fromPostgres(url, { connections: 4 });
}

async function sharedFile(): Promise<() => Promise<VfsSaver>> {
  const path = temporaryPath();
  return async () => VfsSaver.fromPath(path);
}

export const sharedDatabases: readonly SharedDatabase[] = [
  { name: "a file", create: sharedFile },
  ...(postgresUrl ? [{ name: "Postgres", create: async () => sharedPostgres(postgresUrl) }] : []),
];
