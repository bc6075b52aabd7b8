import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryStore, MemorySaver } from "@langchain/langgraph-checkpoint";
import type { EncryptionOptions } from "@palimpsest/vfs";
import { afterAll } from "vitest";
import { emptyPostgres } from "./empty-postgres.js";
import { StoreDriver } from "../drivers/store-driver.js";
import { VfsSaver } from "../saver/vfs-saver.js";
import type { VfsSaverOptions } from "../saver/saver-options.js";

/** A kind of saver for which every law is tested. */
export interface TestedSaver {
  readonly name: string;
  /** Creates an empty saver. */
  readonly create: (options?: VfsSaverOptions) => Promise<VfsSaver>;
}

const directories: string[] = [];

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** Returns a path in a new directory, which is deleted after the tests of the file. */
export function temporaryPath(name = "agent.db"): string {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-"));
  directories.push(directory);
  return join(directory, `${directories.length}-${name}`);
}

const secret = randomBytes(32);

/** The key is asked for by thread, and all threads have the same. */
export const testKeys: EncryptionOptions = { keyId: () => "tenant-7/1", key: () => secret };

const postgresUrl = process.env["PALIMPSEST_POSTGRES_URL"];

export const testedSavers: readonly TestedSaver[] = [
  ...(postgresUrl
    ? [{ name: "postgres", create: async (options?: VfsSaverOptions) => emptyPostgres(postgresUrl, options) }]
    : []),
  { name: "libsql", create: async (options) => VfsSaver.fromPath(temporaryPath(), options) },
  {
    name: "libsql, encrypted",
    create: async (options) => VfsSaver.fromPath(temporaryPath(), { ...options, encryption: testKeys }),
  },
  // In memory: a wrapped MemorySaver.
  { name: "wrapped", create: async (options) => VfsSaver.inMemory(options) },
];

/** A wrapped saver with its contents in a store. */
export const storeSaver: TestedSaver = {
  name: "wrapped, in a store",
  create: async (options) =>
    VfsSaver.wrap(new MemorySaver(), { ...options, blobs: new StoreDriver(new InMemoryStore()) }),
};
