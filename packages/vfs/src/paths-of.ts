import type { FileDriver } from "./file-driver.js";

const page = 1_000;

/** Every path below a directory, in pages: as the engine gives them, or else from its list of files. */
export function pathsOf(driver: FileDriver, prefix: string): AsyncIterable<readonly string[]> {
  return driver.listPaths?.(prefix) ?? pagesOf(driver, prefix);
}

async function* pagesOf(driver: FileDriver, prefix: string): AsyncIterable<readonly string[]> {
  let paths: string[] = [];
  for await (const { path } of driver.list(prefix)) {
    paths.push(path);
    if (paths.length < page) continue;
    yield paths;
    paths = [];
  }
  if (paths.length > 0) yield paths;
}
