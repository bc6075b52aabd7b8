import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HorizonRun } from "../system.js";

/** Returns a run whose storage is in a new directory, with the bytes in it; the directory goes when the run is closed. */
export function inDirectory(start: (root: string) => Omit<HorizonRun, "storedBytes" | "close">): HorizonRun {
  const root = mkdtempSync(join(tmpdir(), "horizon-"));
  return {
    ...start(root),
    storedBytes: () => directoryBytes(root),
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

function directoryBytes(root: string): number {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
