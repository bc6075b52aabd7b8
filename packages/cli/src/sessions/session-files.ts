import { createReadStream, existsSync, readdirSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { readSession, SessionError } from "@palimpsest/sessions";
import { CliError } from "../cli-error.js";

/** Bytes of one read. */
const chunkBytes = 1024 * 1024;

/** Returns the bytes of a file in chunks. */
export function chunksOf(path: string): AsyncIterable<Uint8Array> {
  return createReadStream(path, { highWaterMark: chunkBytes });
}

/** Returns the name of a session: that of its file. */
export function sessionName(path: string): string {
  return basename(path, extname(path));
}

/** Returns the files of sessions at paths, those of a directory with all below it. Throws a CliError for a missing path. */
export function sessionFiles(paths: readonly string[]): readonly string[] {
  const files = paths.flatMap((path) => {
    if (!existsSync(path)) throw new CliError(`There is no file ${path}.`);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
  if (files.length === 0) throw new CliError(`There is no .jsonl or .json file below ${paths.join(", ")}.`);
  return [...new Set(files)];
}

function filesBelow(directory: string): readonly string[] {
  // A link could lead back to a directory above it.
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

/** The first bytes of a SQLite file. */
const sqliteHeader = "SQLite format 3\u0000";

/** True for a directory, and for a file that holds a session. */
export async function isSessionPath(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  if (statSync(path).isDirectory()) return true;
  const chunks = chunksOf(path)[Symbol.asyncIterator]();
  const { value: first, done } = await chunks.next();
  await chunks.return?.();
  if (done === true || Buffer.from(first).toString("latin1", 0, sqliteHeader.length) === sqliteHeader)
    return false;
  return hasSession(path);
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
