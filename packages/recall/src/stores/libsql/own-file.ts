import type { Sqlite } from "@palimpsest/sql";
import { closeSync, openSync, readSync } from "node:fs";
import { RecallError } from "../../recall-error.js";

/** Marks a file as an index, in its header. */
const applicationId = 0x50_4d_52_43;

/** Every table that an index has had. */
export const ownTables = [
  "frequency",
  "lexicon",
  "graph",
  "vector",
  "source",
  "passage",
  "thread",
  "birth",
] as const;

/**
 * Marks a file without tables, and an index of a version that marked none, as an index.
 *
 * @throws RecallError "not-an-index" for any other database: an index drops tables and replaces files.
 */
export function claimFile(database: Sqlite): void {
  const found = database.get("PRAGMA application_id")?.["application_id"];
  if (found === applicationId) return;
  const tables = database.all("SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => name);
  const isOlder = tables.includes("passage") && tables.every(isOwn);
  if (found !== 0 || (tables.length > 0 && !isOlder)) throw notAnIndex(database.path);
  database.exec(`PRAGMA application_id = ${applicationId}`);
}

function isOwn(name: unknown): boolean {
  return ownTables.some((own) => own === name) || /^(?:lexicon|sqlite)_/.test(String(name));
}

/** Returns the error for a file that is no index, or too damaged to tell. */
export function notAnIndex(path: string, cause?: unknown): RecallError {
  return new RecallError(
    "not-an-index",
    `${path} is not a search index, or its header is damaged. Give the path of a new file. If it was an index, delete it: the archive fills a new one.`,
    { cause },
  );
}

const magic = "SQLite format 3\0";
const headerBytes = 72;

/** Returns true when the header of a file, which may be damaged elsewhere, says that it is an index. */
export function isMarked(path: string): boolean {
  const header = Buffer.alloc(headerBytes);
  const descriptor = openSync(path, "r");
  try {
    readSync(descriptor, header, 0, headerBytes, 0);
  } finally {
    closeSync(descriptor);
  }
  return (
    header.toString("latin1", 0, magic.length) === magic &&
    header.readUInt32BE(headerBytes - 4) === applicationId
  );
}
