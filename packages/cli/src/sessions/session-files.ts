import { closeSync, createReadStream, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { readSession, SessionError } from "@palimpsest/sessions";
import { CliError } from "../cli-error.js";
import { databaseLines, databaseSession, databaseSessions, isOpencodeDatabase } from "./opencode-database.js";
import { isOpencodeStorage, opencodeFileLines, opencodeSessions, storageOf } from "./opencode-files.js";

/** Bytes of one read. */
const chunkBytes = 1024 * 1024;

/** Returns the bytes of a session in chunks: those of its file, or lines made from the storage of opencode. */
export function chunksOf(path: string): AsyncIterable<Uint8Array> {
  const row = databaseSession(path);
  if (row !== undefined) return databaseLines(row.file, row.id);
  const storage = storageOf(path);
  if (storage !== undefined) return opencodeFileLines(storage, path);
  return createReadStream(path, { highWaterMark: chunkBytes });
}

/** Returns the bytes of the file of a session; undefined for one that several files or rows hold. */
export function sizeOf(path: string): number | undefined {
  return databaseSession(path) === undefined && storageOf(path) === undefined
    ? statSync(path).size
    : undefined;
}

/** Returns the name of a session: that of its file, or its id in a database. */
export function sessionName(path: string): string {
  return databaseSession(path)?.id ?? basename(path, extname(path));
}

/**
 * Returns the paths of sessions at paths, those of a directory with all below it. A session in a database of opencode has the
 * path `opencode.db#ID`. Throws a CliError for a missing path.
 */
export function sessionFiles(paths: readonly string[]): readonly string[] {
  const files = paths.flatMap((path) => {
    if (databaseSession(path) !== undefined) return [path];
    if (!existsSync(path)) throw new CliError(`There is no file ${path}.`);
    if (statSync(path).isDirectory()) return sessionsBelow(path);
    return isSqlite(path) && isOpencodeDatabase(path) ? databaseSessions(path) : [path];
  });
  if (files.length === 0) throw new CliError(`There is no session below ${paths.join(", ")}.`);
  return [...new Set(files)];
}

function sessionsBelow(directory: string): readonly string[] {
  if (isOpencodeStorage(directory)) return opencodeSessions(directory);
  // A link could lead back to a directory above it.
  const entries = readdirSync(directory, { withFileTypes: true });
  const below = entries.flatMap((entry): readonly string[] => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return sessionsBelow(path);
    if (!entry.isFile()) return [];
    if (/\.jsonl?$/.test(entry.name)) return [path];
    return entry.name.endsWith(".db") && isSqlite(path) && isOpencodeDatabase(path)
      ? databaseSessions(path)
      : [];
  });
  // opencode leaves the files of sessions where they were when it copies them into its database.
  const inDatabase = new Set(below.flatMap((path) => databaseSession(path)?.id ?? []));
  return below
    .filter((path) => storageOf(path) === undefined || !inDatabase.has(sessionName(path)))
    .toSorted();
}

/** The first bytes of a SQLite file. */
const sqliteHeader = "SQLite format 3\u0000";

/** True for a file that begins as one of SQLite does. */
export function isSqlite(path: string): boolean {
  const descriptor = openSync(path, "r");
  try {
    const head = Buffer.alloc(sqliteHeader.length);
    readSync(descriptor, head, 0, head.length, 0);
    return head.toString("latin1") === sqliteHeader;
  } finally {
    closeSync(descriptor);
  }
}

/** True for a directory, and for a file or a database that holds a session. */
export async function isSessionPath(path: string): Promise<boolean> {
  if (databaseSession(path) !== undefined) return true;
  if (!existsSync(path)) return false;
  const stats = statSync(path);
  if (stats.isDirectory()) return true;
  if (stats.size === 0) return false;
  return isSqlite(path) ? isOpencodeDatabase(path) : hasSession(path);
}

async function hasSession(path: string): Promise<boolean> {
  const records = readSession(chunksOf(path), { name: path });
  try {
    return (await records.next()).done !== true;
  } catch (error) {
    if (SessionError.isInstance(error)) return false;
    throw error;
  } finally {
    await records.return(undefined);
  }
}
