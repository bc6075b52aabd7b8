import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryStore, MemorySaver } from "@langchain/langgraph-checkpoint";
import { MemoryDriver } from "@palimpsest/vfs";
import { afterAll } from "vitest";
import { emptyPostgres } from "./empty-postgres.js";
import { StoreDriver } from "../drivers/store-driver.js";
import { VfsSaver } from "../saver/vfs-saver.js";
import type { VfsSaverOptions } from "../saver/vfs-saver.js";

/** A kind of saver that every law is checked for. */
export interface TestedSaver {
  readonly name: string;
  /** Gives a saver with nothing in it. */
  readonly create: (options?: VfsSaverOptions) => Promise<VfsSaver>;
}

const directories: string[] = [];

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** Returns a path in a new directory, which is there until the tests of the file have run. */
export function temporaryPath(name = "agent.db"): string {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-"));
  directories.push(directory);
  return join(directory, `${directories.length}-${name}`);
}

const postgresUrl = process.env["PALIMPSEST_POSTGRES_URL"];

export const testedSavers: readonly TestedSaver[] = [
  ...(postgresUrl
    ? [{ name: "postgres", create: async (options?: VfsSaverOptions) => emptyPostgres(postgresUrl, options) }]
    : []),
  { name: "memory", create: async (options) => VfsSaver.inMemory(options) },
  { name: "libsql", create: async (options) => VfsSaver.fromPath(temporaryPath(), options) },
  {
    name: "wrapped",
    create: async (options) => VfsSaver.wrap(new MemorySaver(), { ...options, blobs: new MemoryDriver() }),
  },
];

/** A wrapped saver whose contents are in a store: the checkpoints as in the one above, the contents by other means. */
export const storeSaver: TestedSaver = {
  name: "wrapped, in a store",
  create: async (options) =>
    VfsSaver.wrap(new MemorySaver(), { ...options, blobs: new StoreDriver(new InMemoryStore()) }),
};
