import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RecallIndex, type RecallOptions } from "../recall-index.js";
import { newDatabase, servers } from "./postgres.js";

/** A kind of place that an index can be kept in. */
export interface Engine {
  readonly name: string;
  /** Returns a place without an index: a path or a url. */
  readonly newPlace: () => string | Promise<string>;
  readonly open: (place: string, options?: RecallOptions) => RecallIndex | Promise<RecallIndex>;
}

const folder = mkdtempSync(join(tmpdir(), "recall-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

export const newPath = (): string => join(folder, `${randomUUID()}.db`);

const memory: Engine = {
  name: "memory",
  newPlace: () => "",
  open: (_, options) => RecallIndex.inMemory(options),
};

/** Those in which an index outlives its process. */
export const lasting: readonly Engine[] = [
  { name: "a file", newPlace: newPath, open: (path, options) => RecallIndex.fromPath(path, options) },
  ...servers.map((server) => ({
    name: "Postgres",
    newPlace: async () => newDatabase(server),
    open: async (url: string, options?: RecallOptions) =>
      RecallIndex.fromPostgres(url, { ...options, connections: 2 }),
  })),
];

export const engines: readonly Engine[] = [memory, ...lasting];
