import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Returns the bytes of all files below a directory. */
export function directoryBytes(root: string): number {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
