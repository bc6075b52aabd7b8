import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { MemoryDriver } from "@palimpsest/vfs";
import { emptyPostgres } from "./empty-postgres.js";
import { VfsSaver } from "../vfs-saver.js";

/** A kind of saver that every law is checked for. */
export interface TestedSaver {
  readonly name: string;
  /** Gives a saver with nothing in it. */
  readonly create: () => Promise<VfsSaver>;
}

let files = 0;

/** Returns a path in a new directory. */
export function temporaryPath(name = "agent.db"): string {
  return join(mkdtempSync(join(tmpdir(), "palimpsest-")), `${files++}-${name}`);
}

const postgresUrl = process.env["PALIMPSEST_POSTGRES_URL"];

export const testedSavers: readonly TestedSaver[] = [
  ...(postgresUrl ? [{ name: "postgres", create: async () => emptyPostgres(postgresUrl) }] : []),
  { name: "memory", create: async () => VfsSaver.inMemory() },
  { name: "libsql", create: async () => VfsSaver.fromPath(temporaryPath()) },
  { name: "wrapped", create: async () => VfsSaver.wrap(new MemorySaver(), { blobs: new MemoryDriver() }) },
];
