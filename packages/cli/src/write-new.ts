import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { CliError } from "./cli-error.js";

/** Throws a CliError if `writeNew` would. Call it before long work. */
export function checkNew(path: string): void {
  if (path === "") throw new CliError("The path of the new file is empty. Pass a path.");
  if (existsSync(path)) throw new CliError(`${path} exists. Pass the path of a new file.`);
  checkDirectory(path);
}

/** Throws a CliError if the directory of a path is missing. */
export function checkDirectory(path: string): void {
  const directory = dirname(path);
  if (!existsSync(directory) || !statSync(directory).isDirectory())
    throw new CliError(`There is no directory ${directory} for ${path}. Create it, or pass another path.`);
}

/** Writes a new file, whole or not at all. Throws a CliError if the path exists, or if the file cannot be written. */
export function writeNew(path: string, text: string): void {
  checkNew(path);
  try {
    writeFileSync(path, text, { flag: "wx" });
  } catch (cause) {
    // What fits on a full disk would look like the whole. A file that another process has created meanwhile stays.
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") rmSync(path, { force: true });
    throw new CliError(`${path} cannot be written: ${String(cause)}`, { cause });
  }
}
