import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Returns path -> text of all files below a directory, paths as its agent knows them. */
export function readDirectory(root: string): ReadonlyMap<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [`/${relative(root, path)}`, readFileSync(path, "utf8")];
      }),
  );
}
