import type { DriverEntry } from "../drivers/file-driver.js";
import { encryptedDirectory, threadsDirectory } from "../layout.js";
import { contentSize, fileHeadSize } from "./encrypted-content.js";

/** Returns true for the path of a file of a thread: such a file is encrypted. Pure. */
export function isOfThread(path: string): boolean {
  return path.startsWith(`${threadsDirectory}/`);
}

/** Returns where a file or directory is stored. Pure. */
export function encryptedPath(path: string): string {
  return path === "/" ? encryptedDirectory : encryptedDirectory + path;
}

/** The inverse of `encryptedPath`. Pure. */
export function plainPath(path: string): string {
  return path.slice(encryptedDirectory.length);
}

/** Returns the entry of the content of a stored file. Pure. */
export function outside(entry: DriverEntry): DriverEntry {
  return { ...entry, path: plainPath(entry.path), size: contentSize(entry.size, fileHeadSize) };
}
