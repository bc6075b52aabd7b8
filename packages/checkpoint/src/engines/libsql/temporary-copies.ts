import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { CheckpointError } from "../../checkpoint-error.js";

/** The name of this machine: its processes cannot say whether one of another machine still runs. */
const host = hostname().replace(/[^A-Za-z0-9]/g, "");
const leftover = /\.([A-Za-z0-9]*)-(\d+)-[0-9a-f-]{36}\.palimpsest-tmp(?:-journal|-wal|-shm)?$/;

/** Returns the path of a copy that this process is writing. */
export function temporaryFor(path: string): string {
  return `${path}.${host}-${process.pid}-${randomUUID()}.palimpsest-tmp`;
}

/** Deletes the copies in a directory whose process, on this machine, was killed. */
function removeLeftovers(directory: string): void {
  for (const name of readdirSync(directory)) {
    const [, itsHost, pid] = leftover.exec(name) ?? [];
    if (itsHost === host && !isRunning(Number(pid))) rmSync(join(directory, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/**
 * Writes a copy to a temporary file, which takes its place at the path when it is complete and synced. Throws an error that names the copy
 * where it cannot be written: that of SQLite names the file that is read.
 */
export function writeCopy(path: string, write: (temporary: string) => void): void {
  removeLeftovers(dirname(path));
  const temporary = temporaryFor(path);
  try {
    write(temporary);
    sync(temporary, "r+");
    renameSync(temporary, path);
    if (process.platform !== "win32") sync(dirname(path), "r");
  } catch (error) {
    throw ofCopy(error, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function ofCopy(error: unknown, path: string): unknown {
  if (!CheckpointError.isInstance(error) || !["disk-full", "not-a-database"].includes(error.code))
    return error;
  const reason = error.cause instanceof Error ? error.cause.message : error.message;
  const way = "Check that its directory is writable and its disk has room for all of it.";
  return new CheckpointError(error.code, `The copy ${path} cannot be written. ${way} (${reason})`, {
    cause: error,
  });
}

/** Syncs a file to the disk: SQLite leaves a new copy in the cache of the system. */
function sync(path: string, flags: "r" | "r+"): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
