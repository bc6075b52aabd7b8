import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

/** The name of this machine: its processes cannot say whether one of another machine still runs. */
const host = hostname().replace(/[^A-Za-z0-9]/g, "");
const leftover = /\.([A-Za-z0-9]*)-(\d+)-[0-9a-f-]{36}\.palimpsest-tmp(?:-journal|-wal|-shm)?$/;

/** Returns the path of a copy that this process is writing. */
export function temporaryFor(path: string): string {
  return `${path}.${host}-${process.pid}-${randomUUID()}.palimpsest-tmp`;
}

/** Deletes the copies in a directory whose process, on this machine, was killed. */
export function removeLeftovers(directory: string): void {
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
