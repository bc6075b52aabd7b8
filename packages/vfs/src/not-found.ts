import { FileError } from "./file-error.js";

/** Returns the error for a path where nothing is. Pure. */
export function notFound(path: string): FileError {
  return new FileError("not-found", `${path} does not exist. Use ls or glob to see which files there are.`);
}
