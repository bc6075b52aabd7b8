import { opendir } from "node:fs/promises";
import type { DirectoryRoot } from "./directory-root.js";
import { errorCode } from "./error-code.js";
import { isPathName } from "./is-path-name.js";
import { describe } from "./walk-directory.js";

const page = 4_096;

/** The paths that `walkDirectory` gives, in pages and in any order, from the directories alone: no file is looked at. */
export async function* directoryPaths(root: DirectoryRoot, path: string): AsyncIterable<readonly string[]> {
  const base = path === "/" ? "" : path;
  const below: string[] = [];
  let paths: string[] = [];
  const directory = await opendir(root.locate(path), { bufferSize: page }).catch((error: unknown) => {
    if (errorCode(error) !== "ENOENT" && errorCode(error) !== "ENOTDIR") throw error;
  });
  for await (const child of directory ?? []) {
    if (!isPathName(child.name)) continue;
    const own = `${base}/${child.name}`;
    if (child.isDirectory()) below.push(own);
    else if (child.isFile() || (await describe(root, own, child)) !== undefined) paths.push(own);
    if (paths.length < page) continue;
    yield paths;
    paths = [];
  }
  if (paths.length > 0) yield paths;
  for (const own of below) yield* directoryPaths(root, own);
}
